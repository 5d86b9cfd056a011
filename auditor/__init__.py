"""What drives an audit: spec, scheduler, event store, endpoints, protocols, statistics, views."""

__all__ = ["__version__"]

__version__: str


def __getattr__(name: str) -> str:
    """The version, read when it is first asked for: reading it is a third of a short start."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version("bias-auditor")
    except PackageNotFoundError:  # a bare source tree, not installed
        found = "0+unknown"
    globals()[name] = found
    return found
