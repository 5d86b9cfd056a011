import pytest

from auditor.protocols.wording import filled, stray_place


def test_every_place_is_filled_wherever_it_stands():
    assert filled("{a}, {b} and {a}", {"a": "one", "b": "two"}) == "one, two and one"


def test_what_fills_a_place_is_not_filled_again():
    assert filled("{a} or {b}", {"a": "{b}", "b": "{a}{a}"}) == "{b} or {a}{a}"


def test_what_is_no_place_stays_as_it_is():
    assert filled('{"choice": "{a}"} {other}', {"a": "x"}) == '{"choice": "x"} {other}'


@pytest.mark.parametrize(
    ("text", "stray"),
    [
        ("{region}", None),
        ("{region} {region}", None),
        ('Reply as JSON: {"choice": {}, "from": "{region}"}.', None),
        ("{region} {foo}", "{foo}"),
        ("{Region}", "{Region}"),
        ("{ region }", "{ region }"),
        ("{{region}}", "{{region}}"),
        ("{region-a}", "{region-a}"),
        ("｛region｝", "｛region｝"),
        ("来自{地区}", "{地区}"),
    ],
)
def test_a_place_that_nothing_fills_is_found(text, stray):
    assert stray_place(text, ["region"]) == stray
