"""What every other package stands on, and what knows no domain word.

`settings` is built once in a door, with the secrets that `secret_files` reads; `database` is the only place that
begins or commits a transaction;
`errors` holds the one error tree; `ids` makes time-ordered ids; `statements` compiles Core statements once;
`schema` carries the declarative base; `roles` and `migrate` prepare a database; `logs` writes JSON lines.
"""
