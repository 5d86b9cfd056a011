from __future__ import annotations

import pytest

from tests.cli.driving import serving


@pytest.fixture
def mock():
    """A plain mock server; its answers come at once."""
    with serving(record=True) as server:
        yield server
