"""Numbers as people read them."""

import pytest

from auditor.live import figures


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (figures.count(1234567), "1,234,567"),
        (figures.count(None), "—"),
        (figures.count(0), "0"),
        (figures.count(9_999, short=True), "9,999"),
        (figures.count(10_000, short=True), "10.0k"),
        (figures.count(999_499, short=True), "999k"),
        (figures.count(999_600, short=True), "1.00M"),
        (figures.count(12_345_678, short=True), "12.3M"),
        (figures.count(5_000_000_000, short=True), "5.00G"),
        (figures.rate(None), "—"),
        (figures.rate(0.0), "0.0/s"),
        (figures.rate(0.05), "3.0/min"),
        (figures.rate(12.34), "12.3/s"),
        (figures.rate(1234.5), "1,234/s"),
        (figures.duration(None), "—"),
        (figures.duration(float("inf")), "—"),
        (figures.duration(-1), "0:00"),
        (figures.duration(61.9), "1:01"),
        (figures.duration(3661), "1:01:01"),
        (figures.duration(2 * 86_400 + 3 * 3600 + 5), "2 d 3 h"),
        (figures.ago(0.4), "0 s"),
        (figures.ago(125), "2 min"),
        (figures.ago(90_000), "1 d"),
        (figures.percent(1859, 1860), "99 %"),
        (figures.percent(1860, 1860), "100 %"),
        (figures.percent(0, 0), "—"),
        (figures.dollars(None), "—"),
        (figures.dollars(0), "0.00"),
        (figures.dollars(0.04), "0.04"),
        (figures.dollars(0.0042), "0.0042"),
        (figures.dollars(0.00001), "< 0.0001"),
        (figures.dollars(1234.5), "1,234.50"),
        (figures.figure(None), "—"),
        (figures.figure(0.0), "0.000"),
        (figures.figure(-0.12345), "-0.123"),
        (figures.figure(0.00001), "1.0e-05"),
        (figures.figure(float("inf")), "inf"),
        (figures.interval(0.1, 0.25), "[0.100, 0.250]"),
        (figures.interval(None, 0.25), ""),
        (figures.interval(0.1, 0.25, "share"), "[10.0, 25.0]"),
        (figures.p_value(None), "—"),
        (figures.p_value(0.00099, "q"), "q < 0.001"),
        (figures.p_value(0.0123, "q"), "q = 0.012"),
        (figures.p_value(1.0), "1.000"),
    ],
)
def test_a_number_is_shown_as(shown: str, text: str) -> None:
    assert shown == text
