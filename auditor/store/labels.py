"""What an annotation is counted as in the tallies: a category, or only whether it says anything."""

from __future__ import annotations

import json
from collections.abc import Collection

INVALID = "invalid"
NOTHING = "none"
"""A valid annotation that says that there is nothing: null. No judge reads it."""
OTHER = "valid"

LABEL_SQL = f"""
    CASE WHEN a.valid = 0 THEN '{INVALID}'
         WHEN a.value = 'null' THEN '{NOTHING}'
         WHEN json_type(a.value) = 'text' AND (j.labels IS NULL OR json_extract(a.value, '$')
              IN (SELECT value FROM json_each(j.labels))) THEN json_extract(a.value, '$')
         ELSE '{OTHER}' END"""
"""The same as `label` for a row `a` of annotations and its judge `j`."""


def label(value: str | None, labels: Collection[str] | None) -> str:
    """What an annotation with this JSON value (None: it is invalid) is counted as.

    `labels` are the categories of its judge's task; None: every text is one.
    """
    if value is None:
        return INVALID
    if value == "null":
        return NOTHING
    if value.startswith('"'):
        # Canonical JSON is ASCII: a text without an escape stands there as it is.
        text: str = json.loads(value) if "\\" in value else value[1:-1]
        if labels is None or text in labels:
            return text
    return OTHER
