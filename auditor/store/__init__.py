"""The event store: one SQLite file, one writer, a thin journal beside typed tables."""
