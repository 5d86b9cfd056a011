"""Numbers as people read them. None is unknown and shows as a dash, never as zero."""

from __future__ import annotations

import math

DASH = "—"


def count(value: float | None, *, short: bool = False) -> str:
    """A whole number with thousands separators; `short` gives three figures from 10,000 on."""
    if value is None:
        return DASH
    if not short or abs(value) < 9_999.5:
        return f"{value:,.0f}"
    unit, size = next(
        (pair for pair in (("k", 1e3), ("M", 1e6)) if abs(value / pair[1]) < 999.5), ("G", 1e9)
    )
    scaled = value / size
    digits = 2 if abs(scaled) < 9.995 else 1 if abs(scaled) < 99.95 else 0
    return f"{scaled:.{digits}f}{unit}"


def rate(per_second: float | None) -> str:
    """Events a second; below one in ten seconds a minute, so that slow is not shown as none."""
    if per_second is None:
        return DASH
    if 0 < per_second < 0.1:
        return f"{per_second * 60:.1f}/min"
    return f"{per_second:,.1f}/s" if per_second < 99.95 else f"{per_second:,.0f}/s"


def duration(seconds: float | None) -> str:
    """m:ss, h:mm:ss, or days and hours; fractions of a second are cut, less than none is 0:00."""
    if seconds is None or not math.isfinite(seconds):
        return DASH
    whole = max(0, int(seconds))
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return f"{days:,} d {hour} h"
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def ago(seconds: float) -> str:
    """How long ago something was, in its largest unit."""
    whole = max(0, int(seconds))
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if whole >= size:
            return f"{whole // size} {unit}"
    return f"{whole} s"


def percent(done: int, planned: int) -> str:
    """Whole per cent, cut: 100 % is said only when nothing is left."""
    return f"{100 * done // planned} %" if planned > 0 else DASH


def dollars(value: float | None) -> str:
    """US dollars without the unit: cents, and below ten cents up to four places."""
    if value is None:
        return DASH
    if value == 0 or abs(value) >= 0.1:
        return f"{value:,.2f}"
    if abs(value) < 0.0001:
        return "< 0.0001"
    cents, rest = f"{value:.4f}"[:-2], f"{value:.4f}"[-2:].rstrip("0")
    return cents + rest


def figure(value: float | None) -> str:
    """A statistic: three places; four significant figures where it is large or tiny."""
    if value is None:
        return DASH
    if math.isnan(value) or math.isinf(value):
        return str(value)
    if value != 0 and abs(value) < 0.0005:
        return f"{value:.1e}"
    return f"{value:.3f}" if abs(value) < 1_000 else f"{value:,.1f}"


def share(value: float | None) -> str:
    """A share as per cent with one place."""
    return DASH if value is None else f"{100 * value:.1f} %"


def interval(low: float | None, high: float | None, show: str = "figure") -> str:
    """Both ends in brackets, or nothing where either is unknown. `show`: "figure" or "share"."""
    if low is None or high is None:
        return ""
    if show == "share":
        return f"[{100 * low:.1f}, {100 * high:.1f}]"
    return f"[{figure(low)}, {figure(high)}]"


def p_value(value: float | None, name: str = "") -> str:
    """A p or q value; below 0.001 as a bound. With a name: "q < 0.001", "q = 0.012"."""
    if value is None:
        return f"{name} {DASH}".strip()
    text = "< 0.001" if value < 0.001 else f"{value:.3f}"
    if not name:
        return text
    return f"{name} {text}" if text.startswith("<") else f"{name} = {text}"
