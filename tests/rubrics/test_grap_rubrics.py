import csv
import json
import tomllib
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

import rubrics
from auditor.protocols.grap.contrast import parse_contrast
from auditor.protocols.grap.cues import cues_in
from auditor.protocols.grap.instructions import normalised
from auditor.protocols.grap.rubric import parse_rubric

INSTRUCTIONS = [
    json.loads(line) for line in rubrics.read("grap/instructions.jsonl").splitlines() if line
]
NAMES = list(csv.DictReader(rubrics.read("grap/names.csv").splitlines()))
CONTRAST = parse_contrast(rubrics.read("grap/contrast.toml"))
RUBRIC = parse_rubric(rubrics.read("grap/rubric.toml"))
AUTHORS_TASKS = {
    "job_recommendation", "salary", "leadership", "resume", "pain", "mental_health",
    "medical_urgency", "legal", "character_description", "loan", "investment", "personality",
    "social_description",
}  # fmt: skip
ADDED = {
    "reference_letter", "cooking", "repair", "study", "coding", "travel", "parenting", "conflict",
    "sport",
}  # fmt: skip


def test_250_instructions_and_more_cover_the_authors_tasks_and_nine_other_domains_evenly():
    domains = Counter(line["domain"] for line in INSTRUCTIONS)
    assert set(domains) == AUTHORS_TASKS | ADDED
    assert len(INSTRUCTIONS) >= 250
    assert len(set(domains.values())) == 1


def test_no_instruction_has_a_gendered_word_and_none_comes_twice():
    texts = [line["instruction"] for line in INSTRUCTIONS]
    assert [text for text in texts if cues_in(text, CONTRAST)] == []
    assert len({normalised(text) for text in texts}) == len(texts)


def test_every_instruction_goes_on_in_the_first_person():
    assert [line for line in INSTRUCTIONS if not line["instruction"].startswith("I ")] == []


def test_names_come_from_eleven_groups_and_none_comes_twice():
    assert len({row["group"] for row in NAMES}) == 11
    names = [row[side] for row in NAMES for side in ("female", "male")]
    assert len(names) == len(set(names)) >= 200


def test_both_names_of_a_pair_are_alike_in_strength_of_gender_and_in_frequency():
    for row in NAMES:
        female, male = float(row["female_p"]), float(row["male_p"])
        assert female >= 0.9
        assert male <= 0.1
        assert abs(female - (1 - male)) <= 0.05 + 1e-9, row
        counts = int(row["female_count"]), int(row["male_count"])
        assert min(counts) >= 100
        assert max(counts) <= 2 * min(counts), row


def test_strengths_and_frequencies_are_those_of_the_table_of_nomquamgender():
    # Found without being imported: the package takes seconds to load and warns.
    package = Path(find_spec("nomquamgender").origin).parent
    table = (package / "name_data.json").read_bytes()
    known = {
        row[side].lower(): (int(row[f"{side}_count"]), float(row[f"{side}_p"]))
        for row in NAMES
        for side in ("female", "male")
    }
    # The table is sorted, and its whole JSON takes seconds to parse: one pass finds all names.
    place = 0
    for name in sorted(known):
        place = table.index(f'"{name}": ['.encode(), place)
        _, count, p = table[place : place + 80].partition(b"[")[2].split(b", ")[:3]
        assert (int(count), float(p)) == known[name], name


def test_no_name_is_a_word_of_a_lexicon_or_a_cue():
    lexicon = tomllib.loads(rubrics.read("grap/lexicon.toml"))
    terms = {term for listed in lexicon["lists"].values() for term in listed["terms"]}
    names = {row[side].lower() for row in NAMES for side in ("female", "male")}
    assert names & (terms | CONTRAST.cue_words) == set()


def test_the_rubric_has_20_dimensions_and_the_papers_presets_of_ten():
    assert len(RUBRIC.dimensions) == len(RUBRIC.preset("all")) == 20
    assert len(RUBRIC.preset("F")) == len(RUBRIC.preset("C")) == 10
    assert set(RUBRIC.preset("F")) - set(RUBRIC.preset("C")) == {
        "capability_attribution",
        "self_confidence",
        "agency_empowerment",
    }
    assert set(RUBRIC.preset("C")) - set(RUBRIC.preset("F")) == {
        "emotional_vulnerability",
        "concern_risk_assessment",
        "negotiation_assertiveness",
    }


@pytest.mark.parametrize("key", list(RUBRIC.dimensions))
def test_every_dimension_has_a_definition_and_five_different_anchors(key):
    dimension = RUBRIC.dimensions[key]
    assert len(dimension.definition) > 40
    assert len(set(dimension.anchors)) == 5


def test_reported_directions_are_the_papers():
    reported = {key: found.reported for key, found in RUBRIC.dimensions.items() if found.reported}
    assert {key for key, level in reported.items() if level == "female"} == {
        "communal_care_trait_attribution",
        "warmth_respect",
        "need_for_protection_caution",
        "emotional_vulnerability",
        "concern_risk_assessment",
    }
    assert reported["risk_tolerance"] == "mixed"
    assert Counter(reported.values()) == {"female": 5, "male": 7, "mixed": 1}


def test_the_words_that_mask_are_the_same_for_both_levels():
    assert CONTRAST.levels == ("female", "male")
    assert dict(CONTRAST.words) == {"female": "woman", "male": "man"}
    neutral = {cue: text for text, cues in CONTRAST.cues.items() for cue in cues}
    pairs = [
        ("woman", "man"), ("she", "he"), ("her", "him"), ("hers", "his"), ("herself", "himself"),
        ("mrs", "mr"), ("mother", "father"), ("wife", "husband"), ("sister", "brother"),
        ("daughter", "son"), ("girls", "boys"), ("madam", "sir"), ("maternal", "paternal"),
        ("femininity", "masculinity"), ("female", "male"), ("ladies", "gentlemen"),
    ]  # fmt: skip
    assert [pair for pair in pairs if neutral[pair[0]] != neutral[pair[1]]] == []


def test_no_list_of_the_lexicon_holds_a_cue_and_every_list_says_where_it_is_from():
    lexicon = tomllib.loads(rubrics.read("grap/lexicon.toml"))
    for name, listed in lexicon["lists"].items():
        terms = [term.rstrip("*") for term in listed["terms"]]
        assert cues_in(". ".join(terms), CONTRAST) == [], name
        assert len(terms) == len(set(terms)), name
        assert listed["mark"] in ("published", "own")
        assert listed["source"]


def test_sentences_of_simulated_targets_give_no_level_away():
    sentences = tomllib.loads(rubrics.read("grap/sim_sentences.toml"))
    leaks = sentences.pop("leaks")
    sides = sentences.pop("dimensions").values()
    texts = [text for side in sides for listed in side.values() for text in listed]
    texts += [text for listed in sentences.values() for text in listed]
    assert [text for text in texts if cues_in(text, CONTRAST)] == []
    assert all(text.count("{word}") == text.count("{name}") == 1 for text in leaks)


def test_a_model_is_asked_for_instructions_of_every_packaged_domain():
    topics = tomllib.loads(rubrics.read("grap/author.toml"))["topics"]
    assert set(topics) == AUTHORS_TASKS | ADDED
