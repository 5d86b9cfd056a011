"""Small corpora to count, and a count of them by plain regular expressions."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from auditor.corpus.report import CorpusReport
from auditor.corpus.run import count_corpus

_PAPER = """
women: aunt, daughter, female, girl, granddaughter, grandmother, her, hers, herself, mother, niece,
she, sister, wife, woman
men: boy, brother, father, grandfather, grandson, he, him, himself, his, husband, male, man, nephew,
son, uncle
"""
WOMEN, MEN = (re.findall(r"\w+(?=[,\n])", part) for part in _PAPER.split(":")[1:])

Counts = dict[str, tuple[int, int, int, int, int]]
"""By space: documents, women's sentences and tokens, men's."""


def json_lines(path: Path, texts: Iterable[str], *, field: str = "text") -> Path:
    """One document a line."""
    whole = "".join(json.dumps({"url": "x", field: text}) + "\n" for text in texts).encode()
    path.write_bytes(gzip.compress(whole, mtime=0) if path.suffix == ".gz" else whole)
    return path


def take(files: Path | Sequence[Path], **given: object) -> CorpusReport:
    """Count files into `c.db` beside the first, in this process."""
    paths = [files] if isinstance(files, Path) else list(files)
    settings = {"name": "c", "processes": 1, **given}
    return count_corpus(paths, paths[0].parent / "c.db", **settings)


def counts(report: CorpusReport) -> Counts:
    """What the store holds, of the spaces that a document holds."""
    assert report.standing is not None
    return {
        space: (each.documents, *each.sums)
        for space, each in report.standing.counts.items()
        if each.documents
    }


def plainly(texts: Iterable[str], spaces: Sequence[str], most: int | None = None) -> Counts:
    """The same by regular expressions and nothing else."""
    forms = {}
    for space in spaces:
        plural = re.sub("(s|x|z|ch|sh)$", r"\1e", space)
        plural = re.sub("([^aeiou])y$", r"\1ie", plural) + "s"
        forms[space] = space
        forms[plural] = space
    forms["café"] = forms["cafés"] = "cafe"
    ordered = sorted(forms, key=len, reverse=True)
    places = "|".join(re.sub(r"(?<=\w)[^\w](?=\w)", r"[^\\w\\n]", form) for form in ordered)
    space_of = {re.sub(r"\W", " ", form): space for form, space in forms.items()}
    any_space = re.compile(rf"(?<!\w)(?:{places})(?!\w)", re.I)
    of_gender = [re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", re.I) for words in (WOMEN, MEN)]
    found: dict[str, list[int]] = {}
    for text in texts:
        sentences = re.split(r"[.!?](?=\s)|\n", text)
        held = [
            {space_of[re.sub(r"\W", " ", m.lower())] for m in any_space.findall(sentence)}
            for sentence in sentences
        ]
        tokens = [len(words.findall(text)) for words in of_gender]
        for space in set().union(*held):
            sums = found.setdefault(space, [0] * 5)
            if most is not None and sums[0] >= most:
                continue
            sums[0] += 1
            for place, words in enumerate(of_gender):
                beside = zip(sentences, held, strict=True)
                sums[1 + 2 * place] += sum(
                    space in here and bool(words.search(sentence)) for sentence, here in beside
                )
                sums[2 + 2 * place] += tokens[place]
    return {space: tuple(sums) for space, sums in found.items()}


_PIECES = (
    *("The", "there", "her", "she", "He", "HIS", "sons", "man", "woman's", "he’s", "unshe", "she_"),
    *(
        "women",
        "father",
        "Mother",
        "girl,",
        "“boy”",
        "(wife)",
        "ærhe",
        "heé",
        "—him—",
        "日本",
        "他 he",
    ),
    *("kitchens", "Kitchen", "park", "industrial park", "Industrial\npark", "industrial-parks"),
    *("private car", "car", "bus  stop", "bus stop", "children's room", "children’s rooms"),
    *("studies", "study.", "gym?", "café", "Cafés", "barn", "bar", "bank.com", "market!", "3.5"),
    *(
        "living room, dining room",
        "walk-in closets",
        "churches",
        "a.b",
        "end.",
        "so…",
        "🙂",
        "x\u00a0y",
    ),
)
_JOINTS = (" ", " ", " ", " ", " ", ". ", "! ", "\n", ".\n", "?\u00a0", ", ", "; ", "\t")


def made_up(documents: int, *, seed: int = 1) -> list[str]:
    """Documents full of what is easily miscounted."""
    draw = random.Random(seed)
    return [
        "".join(draw.choice(_PIECES) + draw.choice(_JOINTS) for _ in range(draw.randrange(1, 60)))
        for _ in range(documents)
    ]
