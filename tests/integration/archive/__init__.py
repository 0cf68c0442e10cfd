"""Teams as files: written whole, read back whole, and refused where they are not."""
