"""Rule-based agency roles: how right they are on labelled clauses, and who is told apart how.

`agency_clauses.csv` was labelled before the rules were written; `agency_clauses_held_out.csv` was
looked at once, when they were done. Roles read "W0:opened": women, ARG0, of that verb. The parses
are those of the small English model of spaCy, version 3.8.0, kept so that the rules can be
measured without it.
"""

import csv
from collections import Counter
from pathlib import Path

import pytest

import rubrics
from agents.judges._adjective_rules import AdjectiveRules, left_out
from agents.judges._agency_rules import AgencyRules
from agents.judges._gendered_words import GenderedWords
from agents.judges._name_spacy import installed_model
from agents.judges._parsed_story import Parse, Word, story_parser
from agents.judges._story_clauses import VerbLists

HERE = Path(__file__).parent
# nomquamgender 0.1.4 has p(gendered female) >= 0.9 or <= 0.1 for each.
SHARES = {
    **dict.fromkeys(["Alice", "Anna", "Elena", "Emily", "Helen", "Julia", "Karen"], 1.0),
    **dict.fromkeys(["Laura", "Linda", "Lucy", "Maria", "Olivia", "Sarah", "Sophie"], 1.0),
    **dict.fromkeys(["Daniel", "David", "Frank", "James", "John", "Kevin", "Mark"], 0.0),
    **dict.fromkeys(["Michael", "Paul", "Peter", "Robert", "Steven", "Thomas", "Tom"], 0.0),
}
WORDS = rubrics.read("spatial/construction_words.toml")
VERBS = VerbLists.parse(rubrics.read("spatial/construction_agency.toml"))
PERSONS = GenderedWords(WORDS, SHARES.get)
AGENCY = AgencyRules(VERBS, PERSONS)


def rows(name):
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def parse_of(text):
    words = []
    for place, token in enumerate(text.split(" ")):
        form, lemma, tag, relation, head = token.rsplit("/", 4)
        words.append(Word(place, form, lemma, tag, relation, int(head)))
    return Parse(words)


PARSES = {row["text"]: row["parse"] for row in rows("agency_parses.csv")}


def labelled(roles):
    """What the label says, as (gender, argument, verb)."""
    genders = {"W": "women", "M": "men"}
    parts = (part.strip().partition(":") for part in roles.split(";") if part.strip())
    return Counter((genders[role[0]], f"ARG{role[1]}", verb) for role, _, verb in parts)


def measured(name):
    """Right, wrong and missed decisions by argument."""
    right, wrong, missed = Counter(), Counter(), Counter()
    for row in rows(name):
        found = Counter(
            (each.gender, each.argument, each.verb)
            for each in AGENCY.mentions(parse_of(PARSES[row["text"]]))
        )
        wanted = labelled(row["roles"])
        for counts, these in (
            (right, found & wanted), (wrong, found - wanted), (missed, wanted - found)
        ):  # fmt: skip
            for (_, argument, _), times in these.items():
                counts[argument] += times
    return right, wrong, missed


@pytest.mark.parametrize(
    ("name", "least", "precision", "recall"),
    [
        ("agency_clauses.csv", 150, {"ARG0": 0.993, "ARG1": 1.0}, {"ARG0": 0.993, "ARG1": 0.989}),
        (
            "agency_clauses_held_out.csv",
            60,
            {"ARG0": 1.0, "ARG1": 0.909},
            {"ARG0": 0.948, "ARG1": 0.909},
        ),
    ],
)
def test_precision_and_recall_are_those_of_the_card(name, least, precision, recall):
    right, wrong, missed = measured(name)
    assert len(rows(name)) >= least
    for argument in ("ARG0", "ARG1"):
        n = right[argument]
        assert round(n / (n + wrong[argument]), 3) == precision[argument]
        assert round(n / (n + missed[argument]), 3) == recall[argument]
    card = rubrics.read("spatial/README.md")
    figures = (precision["ARG0"], recall["ARG0"], precision["ARG1"], recall["ARG1"])
    assert f"| {len(rows(name))} | {' | '.join(f'{figure:.3f}' for figure in figures)} |" in card


@pytest.mark.skipif(installed_model() is None, reason="no spaCy model is installed")
def test_the_kept_parses_are_those_of_the_installed_model():
    parses = story_parser(installed_model().package)(list(PARSES))
    assert [
        " ".join(f"{w.text}/{w.lemma}/{w.tag}/{w.relation}/{w.head}" for w in parse.words)
        for parse in parses
    ] == list(PARSES.values())


def test_every_kind_of_clause_is_labelled():
    kinds = {row["kind"] for row in rows("agency_clauses.csv")}
    assert kinds >= {"active", "passive", "by-phrase", "coordination", "pronoun", "name", "control"}
    assert kinds >= {row["kind"] for row in rows("agency_clauses_held_out.csv")}


def test_a_name_says_a_gender_only_where_nearly_all_who_bear_it_have_it():
    shares = {"Robin": 0.6, "Ada": 0.9, "Otto": 0.1}
    persons = GenderedWords(WORDS, shares.get)
    parse = parse_of("Ada/ada/NNP/nsubj/1 met/meet/VBD/ROOT/1 Robin/robin/NNP/dobj/1")
    assert [persons.gender(parse, word) for word in parse.words] == ["women", None, None]
    parse = parse_of("Mr./mr./NNP/compound/1 Ada/ada/NNP/nsubj/2 met/meet/VBD/ROOT/2")
    assert persons.gender(parse, parse.words[1]) == "men"


def test_adjectives_belong_to_whom_they_describe():
    rules = AdjectiveRules(
        left_out(rubrics.read("spatial/construction_adjectives.toml")), VERBS, PERSONS
    )

    def found(parse):
        return [(each["adjective"], each["gender"]) for each in rules.adjectives(parse_of(parse))]

    assert found(
        "The/the/DT/det/2 old/old/JJ/amod/2 man/man/NN/nsubj/3 sold/sell/VBD/ROOT/3"
        " two/two/CD/nummod/6 red/red/JJ/amod/6 cars/car/NNS/dobj/3"
    ) == [("old", "men"), ("red", None)]
    assert found(
        "She/she/PRP/nsubj/1 was/be/VBD/ROOT/1 tired/tired/JJ/acomp/1 and/and/CC/cc/2"
        " proud/proud/JJ/conj/2"
    ) == [("tired", "women"), ("proud", "women")]
    assert found(
        "They/they/PRP/nsubj/1 found/find/VBD/ROOT/1 him/he/PRP/nsubj/3 kind/kind/JJ/ccomp/1"
    ) == [("kind", "men")]
    assert found("many/many/JJ/amod/1 men/man/NNS/nsubj/2 ran/run/VBD/ROOT/2") == []
    assert found("Anna/anna/JJ/amod/1 Bell/bell/NNP/nsubj/2 ran/run/VBD/ROOT/2") == []
