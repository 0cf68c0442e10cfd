"""The provider over real HTTP: the adapter by itself, cycles that ask it, and cycles that ask it in batches."""
