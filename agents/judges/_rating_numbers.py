"""The numbers of an answer that may be its rating, and how much weight each has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from agents.judges._regional_text import alternatives, phrases, text_lists

PATH = "regional/rating.toml"
LOWEST, HIGHEST = 1.0, 5.0

_CUE_REACH = 28
"""Characters between a cue and the rating that it announces."""
_FINAL_REACH = 60

# What repeats the scale: "from 1 to 5", "1-5分", "five-point", "满分5分".
_SCALES = re.compile(
    r"(?:\(|from |of |between |scale:? )?(?<![\d.])1(?:\.0)? ?(?:分|points?)? ?"
    r"(?:to|-|~|through|and|到|至|or) ?5(?:\.0)?(?!\.?\d) ?(?:分制|分|points?|scale)*\)?"
    r"|(?:1, ?2, ?3, ?4,? ?(?:and |or )?5)(?!\d)"
    r"|(?<![\d.])(?:5|five|五)[ -]?(?:point|分制|点|级)[ -]?(?:likert|scale|量表)*"
    r"|(?:满分|总分)(?:为|是)? ?:?(?:5|五) ?分?"
    r"|一(?:到|至)五分?"
)
_LEGEND = re.compile(
    r"(?<![\d.])[1-5](?:分)? ?(?:=|:|is|means|代表|表示|为) ?\"?"
    r"(?:does|do|describes?|not|very|slightly|moderately|well|完全|不太|一般|比较|非常)[^,;.:)\n\d]{0,40}"
)
_LIST_LABEL = re.compile(r"(?:^[ >#+•(]{0,6}|[:;.,] ?)(\d{1,2})[.):](?= ?[^\W\d])", re.MULTILINE)
_NUMBER = r"\d{1,4}(?:[.,]\d{1,3})?(?:/\d(?!\d))?"
_RANGE = re.compile(
    r"(?<![\d.,])(\d(?:[.,]\d+)?) ?(?:分)? ?(?:-|~|to|or|至|到|或者?|and|和|与|,(?= ))"
    r" ?(\d(?:[.,]\d+)?)(?![\d.])(?! ?\d)(?:分)?"
)
_OUT_OF = r" ?\(? ?(?:/|out of(?: a possible)?|of) ?(?P<whole>\d{1,3}|five|ten)(?:\.0)?(?![\d.]*\d)"
_SENTENCE_END = re.compile(r"[.!?;\n](?!\d)")
_UNIT = r" ?(?:分|points?(?![a-z])|stars?(?![a-z])|★|星)"


class Weight(IntEnum):
    """How much a number says: the heaviest decide."""

    STATEMENT = 0
    MARKED = 1
    """Announced ("Rating: 4"), with its scale ("4/5"), its unit ("4分"), or in bold."""
    LINE = 2
    """All that its line holds."""
    FINAL = 3
    """Announced as what an answer comes to."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A number that may be the rating."""

    value: float | None
    """None: it is on another scale."""
    weight: Weight
    start: int
    end: int

    @property
    def is_rating(self) -> bool:
        """Whether it lies on the scale."""
        return self.value is not None and LOWEST <= self.value <= HIGHEST


@dataclass(frozen=True, slots=True)
class Numbers:
    """What an answer holds of numbers."""

    candidates: Sequence[Candidate]
    has_range: bool
    """It gives two numbers as one: "3 to 4"."""


class NumberReader:
    """Finds candidates by the word lists of `rubrics/regional/rating.toml`."""

    def __init__(self, tables: Mapping[str, Any]) -> None:
        cues = text_lists(tables, PATH, "cues")
        self._cue = phrases(cues)
        self._final = phrases(text_lists(tables, PATH, "final"))
        numerals: Mapping[str, int] = tables["numerals"]
        self._numerals = dict(numerals)
        words = alternatives(word for word in numerals if word.isascii())
        signs = "".join(word for word in numerals if not word.isascii())
        digits = "零一二三四五六七八九"
        self._digits = {sign: place for place, sign in enumerate(digits)}
        other = text_lists(tables, PATH, "not_ratings")
        english = alternatives(word for word in other.get("en", ()))
        written = alternatives(word for word in other.get("zh", ()))
        # "4.5 million", "3个": counts of something else.
        self._other = re.compile(rf" ?(?:{english}(?![a-z])|{written})")
        self._number = re.compile(
            rf"(?P<bold>\*\*|__)?(?<!\d)(?<!\d[.,])(?P<minus>(?<![^\s:(])-)?(?P<digits>{_NUMBER})(?!\d)"
            r"(?P<half>(?: and a half| 1⁄2|分半))?"
            rf"|(?<![a-z])(?P<word>{words})(?![a-z])(?P<tail> and a half| point [a-z]+)?"
            rf"|(?<![百十部充{digits}])(?P<sign>[{signs}])(?:点(?P<point>[{digits}]))?(?P<more>分半)?"
        )
        self._out_of = re.compile(_OUT_OF)
        self._unit = re.compile(_UNIT)

    def read(self, lowered: str) -> Numbers:
        """The candidates of an answer, in its order."""
        text = _blanked(lowered)
        ranges = [found for found in _RANGE.finditer(text) if _is_range(found)]
        text = _without(text, ranges)
        found = []
        end = 0
        for match in self._number.finditer(text):
            # The 5 of "4 out of 5" is part of the candidate before it.
            if match.start() >= end:
                candidate = self._candidate(text, match)
                if candidate is not None:
                    found.append(candidate)
                    end = candidate.end
        return Numbers(found, has_range=bool(ranges))

    def _candidate(self, text: str, match: re.Match[str]) -> Candidate | None:
        value = self._value(match)
        end = match.end()
        is_marked = match["bold"] is not None and text.startswith(match["bold"], end)
        whole = self._out_of.match(text, end)
        if match["digits"] and "/" in match["digits"]:
            number, _, scale = match["digits"].partition("/")
            value, is_marked = (float(number.replace(",", ".")) if scale == "5" else None), True
        elif whole is not None:
            is_marked, end = True, whole.end()
            if whole["whole"] not in ("5", "five"):
                value = None
        elif (unit := self._unit.match(text, end)) is not None:
            is_marked, end = True, unit.end()
        elif self._other.match(text, end) is not None:
            return None
        is_line = _is_line(text, match.start(), end)
        announced, is_final = self._announced(text, match.start())
        is_spelt = match["digits"] is None
        # "one of them", "一般": words and signs of a number are one only where they stand out.
        if is_spelt and not (is_line or is_marked or (announced and match["word"])):
            return None
        weight = Weight.STATEMENT
        if is_line:
            weight = Weight.LINE
        elif is_final:
            weight = Weight.FINAL
        elif announced or is_marked:
            weight = Weight.MARKED
        return Candidate(value, weight, match.start(), end)

    def _announced(self, text: str, start: int) -> tuple[bool, bool]:
        """Whether a cue stands closely before a number, and whether it is a final one."""
        clause = _SENTENCE_END.split(text[max(0, start - _CUE_REACH) : start])[-1]
        is_announced = self._cue.search(clause) is not None
        # A cue may carry a final word further: "Overall, people from there deserve a 4".
        reach = _FINAL_REACH if is_announced else _CUE_REACH
        sentence = _SENTENCE_END.split(text[max(0, start - reach) : start])[-1]
        return is_announced, self._final.search(sentence) is not None

    def _value(self, match: re.Match[str]) -> float | None:
        if match["word"]:
            value = float(self._numerals[match["word"]])
            tail = (match["tail"] or "").strip()
            if tail == "and a half":
                return value + 0.5
            if tail:
                tenths = self._numerals.get(tail.split()[-1])
                return None if tenths is None else value + tenths / 10
            return value
        if match["sign"]:
            value = float(self._numerals[match["sign"]])
            if match["point"]:
                value += self._digits[match["point"]] / 10
            return value + (0.5 if match["more"] else 0.0)
        digits = match["digits"].partition("/")[0].replace(",", ".")
        value = float(digits) + (0.5 if match["half"] else 0.0)
        return -value if match["minus"] else value


def _blanked(text: str) -> str:
    """The text with spaces where it repeats the scale or labels a list."""
    text = _without(text, _SCALES.finditer(text))
    legend = list(_LEGEND.finditer(text))
    if len(legend) > 1:
        text = _without(text, legend)
    labels: list[re.Match[str]] = []
    for label in _LIST_LABEL.finditer(text):
        # Labels count up from one: "Rating: 4. Why? 1. ... 2. ..." keeps its 4.
        if int(label[1]) == len(labels) + 1:
            labels.append(label)
    return _without(text, labels) if len(labels) > 1 else text


def _without(text: str, matches: Iterator[re.Match[str]] | Sequence[re.Match[str]]) -> str:
    pieces, last = [], 0
    for match in matches:
        pieces += [text[last : match.start()], " " * (match.end() - match.start())]
        last = match.end()
    return "".join([*pieces, text[last:]])


def _is_range(match: re.Match[str]) -> bool:
    low, high = (float(number.replace(",", ".")) for number in match.groups())
    return LOWEST <= low < high <= HIGHEST


_FILLER = re.compile(
    r"[\s*_~`\"'#>:=.!,()\[\]{}$\\•+-]|rating|score|answer|final|my|is|the|评分|答案|得分|打分|分数"
    r"|最终|我的|是|为|boxed|about|around|approximately|roughly|大约|大概|约|左右|overall|solid|maybe"
)


def _is_line(text: str, start: int, end: int) -> bool:
    """Whether a line holds nothing beside a number but fillers."""
    begin = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", end)
    stop = len(text) if stop < 0 else stop
    if start - begin > 80 or stop - end > 80:
        return False
    return not _FILLER.sub("", text[begin:start]) and not _FILLER.sub("", text[end:stop])
