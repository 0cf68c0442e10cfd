"""Dense-Mem: a memory service for AI agents that dreams in a ledger of its own.

Packages, from the doors down; imports only run downwards (`make check` holds them to it):

    api  mcp  worker  cli               requests in, agents in, clock in, hands in
    recall  review  dreaming            reading back; client decisions; proposing Hypotheses
    hypotheses  remember                the ledger of guesses; the only way into knowledge
    ledger                              nodes, predicates, evidence, Relationships, their events
    queue                               leases: knows no domain word
    events                              the feed of a team, in commit order
    tenancy                             teams, profiles, keys, effective settings
    client                              the Python client of the HTTP door; knows the errors only
    llm                                 a language model behind one port; knows no domain word
    coordination                        rate limits and wake-ups between processes; the only way to Redis
    kernel  postgres                    settings, database, ids, errors, logging; the embedded server

"Spec: …" and "Design, section …" in a docstring name the rule's source: the product's specification and design.
"""

__version__ = "0.1.0"
