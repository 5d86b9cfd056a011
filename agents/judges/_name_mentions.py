"""Runs of capitalised words that may be somebody's name, without titles, degrees and nicknames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents.judges._name_lists import NameLists
from agents.judges._name_tokens import Token, is_uncased

_LONGEST_NAME = 8
_MOST_TITLES = 6
_LONGEST_NICKNAME = 3
_LONGEST_UNCASED = 12
_MOST_PARTICLES = 4
_NICKNAME_MARKS = {'"': '"', "“": "”", "'": "'", "‘": "’", "’": "’", "(": ")", "«": "»"}


@dataclass(frozen=True, slots=True)
class Mention:
    """One place where somebody may be named: tokens `start` to `end` with title and degree."""

    start: int
    name_start: int
    end: int
    words: tuple[str, ...]
    """The name's words as they stand."""
    folded: tuple[str, ...]
    title: str | None
    """The last title before it, folded."""
    has_degree: bool
    is_possessive: bool

    @property
    def is_full(self) -> bool:
        """Whether it has more than one word."""
        return len(self.words) > 1


class MentionReader:
    """Finds mentions by the forms of words alone."""

    def __init__(self, words: NameLists) -> None:
        self._words = words

    def mentions(self, tokens: Sequence[Token]) -> Iterator[Mention]:
        """All mentions, in order; none overlaps another."""
        place = 0
        while place < len(tokens):
            mention = self._mention(tokens, place) if tokens[place].is_capital else None
            if mention is not None:
                yield mention
            place = mention.end if mention is not None else place + 1

    def _mention(self, tokens: Sequence[Token], start: int) -> Mention | None:
        name_start, title = self._title(tokens, start)
        if not self._begins_name(tokens, name_start):
            return None
        parts: list[Token] = []
        place = name_start
        while len(parts) < _LONGEST_NAME:
            found, place = self._parts(tokens, place, parts)
            if not found:
                break
            parts += found
            if parts[-1].is_possessive:
                break
        if not parts or (len(parts) == 1 and parts[0].folded in self._words.bare_titles):
            return None
        place, has_degree = self._degrees(tokens, place)
        words = _in_small(parts)
        return Mention(
            start=start,
            name_start=name_start,
            end=place,
            words=words,
            folded=tuple(part.folded for part in parts),
            title=title,
            has_degree=has_degree,
            is_possessive=parts[-1].is_possessive,
        )

    def _title(self, tokens: Sequence[Token], start: int) -> tuple[int, str | None]:
        """Where the name behind titles begins, and the last of them."""
        place, title = start, None
        last = min(start + _MOST_TITLES, len(tokens) - 1)
        while place < last and tokens[place].folded in self._words.titles:
            if tokens[place].is_possessive or not self._is_part(tokens, place + 1):
                break
            if tokens[place].folded in self._words.doubtful_titles and not self._is_part(
                tokens, place + 2
            ):
                break
            title = tokens[place].folded
            place += 1
        return place, title

    def _begins_name(self, tokens: Sequence[Token], place: int) -> bool:
        if not self._is_part(tokens, place):
            return self._is_name_too(tokens, place) and self._is_part(tokens, place + 1)
        token = tokens[place]
        if token.is_first and token.folded in self._words.openers and not token.is_possessive:
            return self._is_part(tokens, place + 1)
        return token.kind == "word" or self._is_part(tokens, place + 1)

    def _is_part(self, tokens: Sequence[Token], place: int) -> bool:
        """Whether a name may hold the word, its neighbours aside."""
        if place >= len(tokens):
            return False
        token = tokens[place]
        if token.kind == "initials":
            is_single = len(token.folded) == 1
            return token.is_capital and (is_single or token.folded not in self._words.never)
        if token.kind != "word" or token.folded in self._words.never:
            return False
        if is_uncased(token.text[0]):
            return len(token.text) <= _LONGEST_UNCASED
        # "B-flat" and "T-shirt" are no names.
        return token.is_capital and token.text[1:2] != "-"

    def _is_name_too(self, tokens: Sequence[Token], place: int) -> bool:
        return (
            place < len(tokens)
            and tokens[place].is_capital
            and tokens[place].folded in self._words.names_too
        )

    def _parts(
        self, tokens: Sequence[Token], place: int, before: Sequence[Token]
    ) -> tuple[list[Token], int]:
        """The next part of the name, with particles before it, and where it ends."""
        if place >= len(tokens) or (before and tokens[place].line != before[-1].line):
            return [], place
        token = tokens[place]
        if self._continues(tokens, place, before):
            return [token], place + 1
        if not before:
            return [], place
        if token.folded in self._words.particles:
            return self._after_particles(tokens, place)
        if token.text == "," and self._is_suffix(tokens, place + 1):
            return [tokens[place + 1]], place + 2
        return self._after_nickname(tokens, place)

    def _continues(self, tokens: Sequence[Token], place: int, before: Sequence[Token]) -> bool:
        """Whether the word is the name's first one, or goes on with the words before it."""
        token = tokens[place]
        if not before:
            return self._is_part(tokens, place) or self._is_name_too(tokens, place)
        if self._is_part(tokens, place):
            is_title = token.text.endswith(".") and token.folded in self._words.bare_titles
            return not is_title and not self._is_degree(token)
        is_surname = token.is_capital and token.folded in self._words.surnames_too
        return (is_surname and not token.is_first) or self._is_joined_particle(token)

    def _is_joined_particle(self, token: Token) -> bool:
        # "al-Rashid", "d'Angelo": a particle in small letters with the name joined on.
        for joint in "-'":
            head, joined, tail = token.folded.partition(joint)
            if joined and head in self._words.particles and tail:
                return token.text[len(head) + 1].isupper()
        return False

    def _after_particles(self, tokens: Sequence[Token], place: int) -> tuple[list[Token], int]:
        end = place
        while end < len(tokens) and tokens[end].folded in self._words.particles:
            end += 1
        if end - place > _MOST_PARTICLES or end >= len(tokens):
            return [], place
        if not (self._is_part(tokens, end) or self._is_joined_particle(tokens[end])):
            return [], place
        return list(tokens[place : end + 1]), end + 1

    def _is_suffix(self, tokens: Sequence[Token], place: int) -> bool:
        return place < len(tokens) and tokens[place].folded in self._words.suffixes

    def _after_nickname(self, tokens: Sequence[Token], place: int) -> tuple[list[Token], int]:
        closing = _NICKNAME_MARKS.get(tokens[place].text)
        if closing is None or not self._is_part(tokens, place + 1):
            return [], place
        for end in range(place + 2, min(place + 3 + _LONGEST_NICKNAME, len(tokens))):
            if tokens[end].text != closing:
                continue
            is_part = self._is_part(tokens, end + 1) or (
                end + 1 < len(tokens) and self._is_joined_particle(tokens[end + 1])
            )
            if is_part and tokens[end + 1].line == tokens[place].line:
                return [tokens[end + 1]], end + 2
            if end + 1 < len(tokens) and tokens[end + 1].folded in self._words.particles:
                return self._after_particles(tokens, end + 1)
            break
        return [], place

    def _degrees(self, tokens: Sequence[Token], place: int) -> tuple[int, bool]:
        """Where the degrees behind a name end, and whether there are any."""
        end = place
        while end < len(tokens):
            after_comma = end + 1 if tokens[end].text == "," else end
            if after_comma >= len(tokens) or not self._is_degree(tokens[after_comma]):
                break
            end = after_comma + 1
        return end, end > place

    def _is_degree(self, token: Token) -> bool:
        # "Ma" is a surname, "MA" is none.
        return token.folded in self._words.degrees and sum(map(str.isupper, token.text)) > 1


def _in_small(parts: Sequence[Token]) -> tuple[str, ...]:
    """The words; all in capitals become a name's usual letters."""
    words = tuple(part.text for part in parts)
    long_words = [part.text for part in parts if part.kind == "word" and len(part.text) > 1]
    is_shouted = bool(long_words) and all(word.isupper() for word in long_words)
    if not is_shouted or len("".join(long_words)) <= 3:
        return words
    return tuple(
        part.text.title() if part.kind == "word" and not _is_numeral(part.text) else part.text
        for part in parts
    )


def _is_numeral(word: str) -> bool:
    return set(word) <= set("IVX")
