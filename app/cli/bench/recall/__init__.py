"""How well recall finds what is known, beside a plain full-text search and beside itself with parts switched off.

    words, naming   what names and questions are put together from
    corpus          teams of a made-up software world, from a seed
    lookup          a team by its parts
    questions       questions in five classes, with answers and with what would be wrong to show
    guesses         Hypotheses near some answers, and others that only look near
    loading         all of it in the database, in bulk
    asking          every question, to recall and to what it is compared with
    scores          what a list of answers is worth
    report          the bars, and the rows that are printed

The corpus, the questions and the guesses follow from the seed alone. Seed 1 is for tuning, seed 2 for reporting:
the teams, the names and half of the wordings differ.
"""
