"""What every other package stands on, and what knows no domain word.

`settings` is built once in a door, with the secrets that `secret_files` reads; `database` is the only place that
begins or commits a transaction, over `connections` of `pools`; `transactions` are what happens in one, and
`round_trips` carry statements there, lists as `plain_lists` writes them, and rows back, for which `ears` listen;
`errors` holds the one error tree; `ids` makes ordered ids; `statements` compiles Core statements once; `schema`
carries the declarative base; `roles` and `migrate` prepare a database; `storable` says which texts it can hold;
`compatibility` reads strangers' texts; `aside` does what takes long beside the event loop; `logs` writes lines of
JSON.
"""
