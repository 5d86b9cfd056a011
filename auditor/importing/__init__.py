"""Answers that were collected elsewhere: read line by line, checked, stored, judged, counted."""

from auditor.importing.importer import import_file, import_files
from auditor.importing.report import ImportReport, Rejection

__all__ = ["ImportReport", "Rejection", "import_file", "import_files"]
