"""One of everything that an outside package may add."""
