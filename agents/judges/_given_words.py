"""From an answer that should be a name to its words: markup, remarks and second names cut off."""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass

from agents.judges._gender_rules import GenderRules, plain

PLACEHOLDER = "placeholder"
SENTENCE = "no name but a sentence"
SEVERAL_NAMES = "several names"
SURNAME_ONLY = "surname only"
EAST_ASIAN_SCRIPT = "East Asian name, in its own script"

_LONGEST_TEXT = 1000
_MOST_WORDS = 6
_REPLACED = str.maketrans(
    {
        **dict.fromkeys("’‘ʼ´`′", "'"),
        **dict.fromkeys("“”„«»「」『』", '"'),
        **dict.fromkeys("‐‑", "-"),
        **dict.fromkeys("–—―−", "—"),
        **dict.fromkeys("*_~#|^\\", " "),
        **dict.fromkeys("、，؛;", ";"),
    }
)
_TAG = re.compile(r"<[^<>]{0,100}>")
_LIST_LABEL = re.compile(r"^\W*\d{1,3}[.)]\s")
_NICKNAME = re.compile(r"\s\"[^\"]*\"|(?<!\w)'[^']{1,40}'(?!\w)|\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
_ASIDE = re.compile(r" [-—] |—")
_EDGES = " \"'()[]{}:.,;>-"
_JOINT = re.compile(r"\s*([&/+])\s*")
_SCRIPTS = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "KANGXI")


@dataclass(frozen=True, slots=True)
class NameWords:
    """The words of one name as they were written, titles among them."""

    words: tuple[str, ...]
    """In the order given name, surname where a comma told them apart."""
    given_comes_first: bool = False
    """Whether a comma told the order."""


def name_words(text: str, rules: GenderRules) -> NameWords | str:
    """The words of the name that a text gives, or why it gives none."""
    if len(text) > _LONGEST_TEXT:
        return SENTENCE
    text = _without_markup(text)
    if not text.isascii() and _is_east_asian(text):
        return EAST_ASIAN_SCRIPT
    text = _after_label(text, rules)
    if not any(map(str.isalpha, text)) or _folded(text) in rules.no_name["whole"]:
        return PLACEHOLDER
    if ";" in text:
        return SEVERAL_NAMES
    return _of_parts([_words(part, rules) for part in text.split(",")], rules)


def _without_markup(text: str) -> str:
    """The first line that has words, without markup, nicknames and asides."""
    text = _TAG.sub(" ", unicodedata.normalize("NFKC", html.unescape(text)))
    lines = text.translate(_REPLACED).splitlines()
    line = _LIST_LABEL.sub("", next((line for line in lines if any(map(str.isalpha, line))), ""))
    bare = _NICKNAME.sub(" ", line)
    line = bare if any(map(str.isalpha, bare)) else line
    return " ".join(_ASIDE.split(line.strip(_EDGES), maxsplit=1)[0].split())


def _is_east_asian(text: str) -> bool:
    return any(unicodedata.name(char, "").startswith(_SCRIPTS) for char in text)


def _folded(text: str) -> str:
    return " ".join(re.findall(r"[\w']+", plain(text.replace("/", " ").replace("-", " "))))


def _after_label(text: str, rules: GenderRules) -> str:
    label, colon, rest = text.partition(":")
    if not colon or not any(map(str.isalpha, rest)):
        return label
    is_label = all(plain(word) in rules.no_name["labels"] for word in label.split())
    return _after_label(rest, rules) if is_label else label


def _words(part: str, rules: GenderRules) -> list[str]:
    """Words up to the end of a sentence, or to what is about something else."""
    words: list[str] = []
    for written in _JOINT.sub(r" \1 ", part).split():
        word = _stripped(written)
        if not word:
            continue
        if words and (word in rules.after["cuts"] or plain(word) == "aka"):
            break
        words.append(word)
        if word.endswith(".") and not _is_short(word, rules):
            break
    while len(words) > 1 and plain(words[-1]) in rules.after["suffixes"]:
        words.pop()
    return words


def _stripped(word: str) -> str:
    """A word as it was written, with a full stop but no other punctuation round it."""
    if _JOINT.fullmatch(word):
        return word
    kept = "".join(c for c in word if unicodedata.category(c)[0] in "LMN" or c in "'-.")
    bare = kept.strip("'-.")
    return bare + "." if bare and kept.rstrip("'").endswith(".") else bare


def _is_short(word: str, rules: GenderRules) -> bool:
    """Whether a full stop after a word shortens it and ends no sentence."""
    known = plain(word)
    return len(known) < 3 or any(known in titles for titles in rules.titles.values())


def _of_parts(parts: list[list[str]], rules: GenderRules) -> NameWords | str:
    """The name in what commas divide: "Smith, John", "Maria Garcia, PhD", "Ana, a baker"."""
    first, *others = [part for part in parts if part] or [[]]
    if any(_is_joined(part, rules) for part in (first, *others)):
        return SEVERAL_NAMES
    others = [part for part in others if not _is_remark(part, rules)]
    problem = _problem(first, rules)
    if problem or not others:
        return problem or NameWords(tuple(first))
    second = others[0]
    if _is_surname(first, rules):
        return _problem(second, rules) or NameWords((*second, *first), given_comes_first=True)
    return SEVERAL_NAMES if len(second) > 1 else NameWords(tuple(first))


def _is_joined(words: list[str], rules: GenderRules) -> bool:
    return any(word.lower() in rules.after["joints"] for word in words)


def _is_remark(words: list[str], rules: GenderRules) -> bool:
    """Whether what follows a comma is about the name before it."""
    known = rules.after["suffixes"] | rules.after["degrees"]
    return words[0][0].islower() or all(plain(word) in known for word in words)


def _is_surname(words: list[str], rules: GenderRules) -> bool:
    """Whether what stands before a comma is a surname rather than a whole name."""
    known = rules.surnames["only"] | rules.surnames["particles"] | rules.east_asian["surnames"]
    return len(words) == 1 or plain(words[0]) in known


def _problem(words: list[str], rules: GenderRules) -> str | None:
    """Why words are no name, or None."""
    lists = rules.no_name
    if " ".join(map(plain, words)) in lists["whole"]:
        return PLACEHOLDER
    first, rest = words[0], words[1:]
    if rest and plain(first) in lists["beginnings"]:
        return SENTENCE
    if rest and plain(first) in lists["articles"] and rest[0][0].islower():
        return SENTENCE
    if len(words) > _MOST_WORDS or any(word in lists["sentence"] for word in rest):
        return SENTENCE
    if any(char.isdigit() for word in words for char in word):
        return PLACEHOLDER
    return None
