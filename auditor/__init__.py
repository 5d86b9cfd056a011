"""What drives an audit: spec, scheduler, event store, endpoints, protocols, statistics, views."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("bias-auditor")
except PackageNotFoundError:  # a bare source tree, not installed
    __version__ = "0+unknown"

__all__ = ["__version__"]
