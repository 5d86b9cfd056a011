"""The bias that a simulated target of `spatial.tracing` is given, and what may be planted.

Keys, all optional:

- `men`, `slope`, `prompt_shift`: as of `spatial.explicit`, the true p(men) at a space (0.5).
- `mass`: probability of both answers together (0.9). A language model gives log-probabilities of
  ln(mass p(men)) and ln(mass (1 - p(men))).
- `reward_noise`: a reward model's rewards lie logit(p(men)) apart, as a Bradley-Terry model of that
  preference has them; to each is added a number drawn evenly from plus or minus this (0).
- `refusal`, `api_refusal` (the endpoint's, either way: nothing is written that could refuse in
  words), `neither`, `noise` (texts instead of a score), `filtered`, `empty`: share of all trials
  that give no score, one number or a table by prompt.
"""

from __future__ import annotations

from collections.abc import Mapping

from auditor.protocols.base import Materials
from auditor.protocols.plants import check_number, unknown_key
from auditor.protocols.spatial_explicit.plant import KEYS as EXPLICIT_KEYS
from auditor.protocols.spatial_explicit.plant import check_plant as check_explicit
from auditor.types import JSON

MASS = "mass"
NOISE = "reward_noise"
LIKELY = 0.9
"""Default of `mass`."""
_OWN = {MASS: (LIKELY, 1.0), NOISE: (0.0, 1000.0)}
"""Default and highest value by key."""


def check_plant(plant: Mapping[str, JSON], materials: Materials) -> str | None:
    """None if the plant can be simulated, else the key, its value and what is allowed."""
    allowed = (*EXPLICIT_KEYS, *_OWN)
    for key in plant:
        if key not in allowed:
            return unknown_key(key, allowed, ", ".join(allowed))
    for key, (default, highest) in _OWN.items():
        if wrong := check_number(key, plant.get(key, default), 0, highest):
            return wrong
    return check_explicit(
        {key: value for key, value in plant.items() if key not in _OWN}, materials
    )
