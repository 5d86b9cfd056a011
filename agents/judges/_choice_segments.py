"""The shorthand of an answer in segments, and what one segment says by itself.

The shorthand has a sign for each phrase (`_choice_words.SIGNS`), so that "Women are less likely
than men." is "Wf-ctM.". A few rewritings settle what belongs together ("than men" only refers:
"Wf-c."); lines, sentences and segments (clauses, roughly) are what is left. Every pattern is
bounded, so that all of it takes time linear in the length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MEN, WOMEN, NEITHER = "men", "women", "neither"
SUBJECTS = frozenset("MWmwNEBs")
"""Signs of what an answer can speak of: a side, its possessive, neither, both, equally many."""

_STRAIGHT = {"M": MEN, "W": WOMEN, "m": MEN, "w": WOMEN}
_REVERSED = {"M": WOMEN, "W": MEN}
_SILENCING = frozenset("xdiaRr")
# Beside these only, a side is the whole of what is said: "I would say women".
_ALONE = frozenset("MWmwNEBOAfph&: ")
# These as well, where nothing else claims: "women, likely", "men who do".
_NEARLY_ALONE = _ALONE | frozenset("cTq")

_REWRITINGS = tuple(
    (re.compile(pattern), by)
    for pattern, by in (
        # "men, women or neither": the options of the question.
        (r"B?f?[MWN](?:,f{0,2}[MWN]){0,3},?of{0,2}[MWN](?:,?of{0,2}[MWN]){0,3}", "O"),
        # "men and women", "both men and women"
        (r"(?:Mf?,?&f{0,2}W|Wf?,?&f{0,2}M)", "B"),
        (r"Bf?B", "Bv"),
        # "not men", "no women"
        (r"xf?[MW]", "D"),
        # "not men but women"
        (r"Df?,?bf{0,2}([MW])", r"D,bc\1"),
        # "than men", "rather than the women"
        (r"t[fO]{0,3}[MWmw]", ""),
        # "not as likely" is less likely, and its "as men" refers as "than men" does.
        (r"x[fvc_]{0,6}s", "-S"),
        # "it could be men or women"
        (r"vf{0,2}O", "vB"),
        (r"Of{0,2}v", "Bv"),
        # "and men are less so": a clause of its own.
        (r"&(?=f{0,2}[+\-c]{0,2}f?[MWD])", ","),
        # A joint opens a segment, wherever it stands; a relative clause does not.
        (r"([bCyk])", r",\1"),
        (r",T", "T"),
    )
)
_SENTENCE = re.compile(r"[^.?]+[.?]*")
_OPENER = re.compile(r"[f&]{0,3}([bCykj])")
_ANNOUNCING = re.compile(r"A[f: ]*$")
_ANNOUNCED = re.compile(r"A[fO:]{0,6}[MWB]")
_AS_REFERENCE = re.compile(r"jf{0,3}[MW]")
# "Less likely: men" must stay whole; "Based on common patterns: men" need not.
_INTRODUCTION = re.compile(r"[^MWx\-dRriBNE]*:")


def rewritten(shorthand: str) -> str:
    """The shorthand with options, pairs, denials and comparisons settled."""
    for pattern, by in _REWRITINGS:
        shorthand = pattern.sub(by, shorthand)
    return shorthand


def sentences(line: str) -> list[str]:
    """The sentences of a line with the marks that end them."""
    return _SENTENCE.findall(line)


def is_alone(signs: str) -> bool:
    """Whether a sentence or line holds nothing beside sides, fillers and punctuation."""
    return set(signs) <= _NEARLY_ALONE | {",", ".", "?"}


@dataclass(frozen=True, slots=True)
class Segment:
    """One clause: how it is joined to what stands before it, and its signs."""

    opener: str
    """Sign of the joint that opens it: b, C, y, k, j (see SIGNS), or empty."""
    text: str
    signs: frozenset[str]

    @property
    def has_subject(self) -> bool:
        """Whether it speaks of a side, of both or of neither."""
        return not SUBJECTS.isdisjoint(self.signs)

    @property
    def is_alone(self) -> bool:
        """Whether nothing but fillers stands beside what it speaks of."""
        return self.signs <= _ALONE

    @property
    def names_both(self) -> bool:
        """Whether it names both sides without referring to one of them."""
        return {"M", "W"} <= self.signs

    @property
    def announces(self) -> bool:
        """Whether the answer follows it: "Answer:"."""
        return self.signs.isdisjoint("xdRr") and _ANNOUNCING.search(self.text) is not None

    @property
    def is_remark(self) -> bool:
        """Whether it says no more than that both may be there."""
        return "B" in self.signs and not self.signs & set("MWNEs") and not self.is_alone

    @property
    def value(self) -> str | None:
        """Who it says is the more likely one, or None where it claims nothing."""
        signs = self.signs
        if signs & _SILENCING:
            return None
        if signs & {"E", "s"}:
            return None if signs & {"+", "-"} else NEITHER
        sides = signs & {"M", "W"}
        if "N" in signs:
            return None if sides else NEITHER
        if sides:
            return None if len(sides) == 2 else self._claim_of(*sides)
        if "B" in signs:
            return NEITHER if self.is_alone or signs & {"v", "c", "+"} else None
        owners = signs & {"m", "w"}
        return _STRAIGHT[min(owners)] if len(owners) == 1 and self.is_alone else None

    def _claim_of(self, side: str) -> str | None:
        if "-" in self.signs:
            return None if "+" in self.signs else _REVERSED[side]
        is_claimed = bool(self.signs & {"+", "c"}) or self.signs <= _NEARLY_ALONE
        return _STRAIGHT[side] if is_claimed or _ANNOUNCED.search(self.text) else None


def segments(sentence: str) -> Iterator[Segment]:
    """The segments of one sentence in their order."""
    for clause in sentence.rstrip(".?").split(","):
        introduction = _INTRODUCTION.match(clause)
        end = introduction.end() if introduction else 0
        for part in (clause[:end], clause[end:]):
            if part:
                yield _segment(part)


def _segment(part: str) -> Segment:
    opened = _OPENER.match(part)
    text = part[opened.end() :] if opened else part
    if "s" in text or "S" in text:
        text = _AS_REFERENCE.sub("", text)
    return Segment(opened[1] if opened else "", text, frozenset(text))
