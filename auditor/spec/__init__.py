"""A run's spec: a TOML file, checked as a whole, as frozen data."""

from auditor.spec.keys import check_keys, missing_key
from auditor.spec.loading import PROVIDERS, load_spec, parse_spec
from auditor.spec.local_models import check_local_models, local_gaps
from auditor.spec.model import Budget, Judge, Spec, Target

__all__ = [
    "PROVIDERS",
    "Budget",
    "Judge",
    "Spec",
    "Target",
    "check_keys",
    "check_local_models",
    "load_spec",
    "local_gaps",
    "missing_key",
    "parse_spec",
]
