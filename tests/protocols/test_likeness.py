import pytest

from auditor.protocols.likeness import as_read, hidden_in


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Texas", "TEXAS"),
        ("TX", "ＴＸ"),
        ("New York", "New\u00a0 York"),
        ("北京", " 北\u200b京"),
        ("Straße", "STRASSE"),
        ("Malmo\u0308", "Malmö"),
        ("ﬁne", "Fine"),
        ("한", "\u1112\u1161\u11ab"),
        ("Winston-Salem", "Winston‐Salem"),
        ("Coeur d'Alene", "Coeur d’Alene"),
    ],
)
def test_texts_that_look_the_same_are_alike(one, other):
    assert as_read(one) == as_read(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Shanxi", "Shaanxi"), ("山西", "陕西"), ("Malmo", "Malmö"), ("New York", "Newyork")],
)
def test_texts_that_look_different_are_not(one, other):
    assert as_read(one) != as_read(other)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x07b", "\\x07"),
        ("a\nb", "\\n"),
        ("a\u200bb", "\\u200b"),
        ("a\u202eb", "\\u202e"),
        ("a\x85b", "\\x85"),
        ("a\ud800b", "\\ud800"),
        ("São Tomé, 内蒙古 (x)\u3000\u00a0می\u200cخواهم 🏳️", None),
    ],
)
def test_what_nobody_sees_is_found(text, shown):
    assert hidden_in(text) == shown


def test_lines_and_tabs_may_be_allowed_and_nothing_else():
    assert hidden_in("one\n\ttwo", lines=True) is None
    assert hidden_in("one\r\ntwo", lines=True) == "\\r"
