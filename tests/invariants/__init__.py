"""One module for each acceptance invariant of the specification."""
