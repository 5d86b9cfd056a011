"""The corpus that `tests.bench.corpus` measures with: the same for a seed, as large as asked."""

import json

import rubrics
from agents.judges.name import NameJudge
from tests.bench.corpus_lines import lines

JUDGE = NameJudge(rubrics.read("stories/name_rules.toml"), {"spacy_model": "none"})


def made(**changes: int) -> list[dict]:
    settings = {"seed": 1, "targets": 2, "repetitions": 2, "words": 60, **changes}
    return [json.loads(line) for line in lines(**settings)]


def test_every_trial_has_one_line_with_as_many_words_as_asked():
    found = made()
    trials = {(f["target"], f["factors"]["occupation"], f["repetition"]) for f in found}
    assert len(found) == len(trials) == 2 * 106 * 2
    assert min(len(fields["text"].split()) for fields in found) >= 60


def test_a_seed_gives_one_corpus_and_another_one_another():
    assert made() == made()
    assert made() != made(seed=2)


def test_without_words_every_text_is_a_name_that_the_rules_read_as_it_stands():
    texts = [fields["text"] for fields in made(words=0)]
    assert [JUDGE.judge(text).value for text in texts] == texts
