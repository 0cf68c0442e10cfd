"""Pure modules by themselves, without a database."""
