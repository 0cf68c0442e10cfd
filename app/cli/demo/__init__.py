"""`densemem demo`: the product does its main job on real evidence, over its own HTTP door.

The evidence is the metadata of the Python packages installed in the environment, verbatim header lines:

    evidence    header lines → one evidence item and its proposals a package, a fifth of the lines held back
    loop        serve, remember, dream, review, recall: every step through the HTTP door
    guesses     how many held-back edges each ranking finds, ours beside popularity and chance
    report      the same outcome for people and as data

Nothing is invented and nothing leaves the machine. What was held back never enters the evidence, so a hit is a
guess that the memory could not have looked up.
"""
