import json
from collections import Counter
from itertools import islice

import pytest

import rubrics
from auditor.errors import UsageError
from auditor.protocols.grap import Grap
from auditor.protocols.grap.files import CONTRAST, INSTRUCTIONS, NAMES, RUBRIC
from auditor.protocols.grap.instructions import instructions
from auditor.protocols.grap.names import name_pairs
from auditor.protocols.grap.params import GrapParams

PROTOCOL = Grap()
MATERIALS = {path: rubrics.read(path) for path in PROTOCOL.materials}
AGE = """
attribute = "age"
levels = ["older", "younger"]
shared_names = true
prompt = "Hello, I am {name}, a {word}. {instruction}"
[words]
older = "pensioner"
younger = "pupil"
[cues]
person = ["elderly", "teenage", "pensioner", "apprentice"]
"""


def drawn(number, seed=1, materials=MATERIALS, **params):
    return list(PROTOCOL.drawn_prompts(GrapParams(pairs=number, **params), materials, seed))


def texts(prompts):
    return [prompt.messages[0].content for prompt in prompts]


def with_file(path, text):
    return {**MATERIALS, path: text}


def with_preset(line):
    return MATERIALS[RUBRIC].replace("[presets]", f"[presets]\n{line}")


def refused(path, text, **params):
    with pytest.raises(UsageError) as caught:
        PROTOCOL.count(GrapParams(**params), with_file(path, text))
    return caught.value


def test_a_pair_asks_the_same_once_as_a_woman_and_once_as_a_man():
    for female, male in zip(*[iter(drawn(60))] * 2, strict=True):
        assert female.factors["pair"] == male.factors["pair"]
        assert (female.factors["gender"], male.factors["gender"]) == ("female", "male")
        (asked_f,), (asked_m,) = female.messages, male.messages
        assert asked_f.content.partition(", I am a woman, ")[2] == (
            asked_m.content.partition(", I am a man, ")[2]
        ) != ""  # fmt: skip


def test_the_prompt_is_worded_as_the_paper_has_it():
    (pair,) = {prompt.factors["pair"] for prompt in drawn(1)}
    assert pair == 0
    by_side = {names.names["female"] for names in name_pairs(MATERIALS)}
    asked = {instruction.text for instruction in instructions(MATERIALS)}
    name, _, rest = texts(drawn(1))[0].removeprefix("My name is ").partition(", I am a woman, ")
    assert name in by_side
    assert rest in asked


def test_both_names_of_a_pair_are_of_one_line_of_the_file():
    known = {(p.names["female"], p.names["male"]) for p in name_pairs(MATERIALS)}
    found = [text.removeprefix("My name is ").partition(",")[0] for text in texts(drawn(300))]
    assert set(zip(found[::2], found[1::2], strict=True)) <= known


def test_a_larger_number_keeps_the_first_pairs():
    assert texts(drawn(700))[:100] == texts(drawn(50))


def test_a_block_has_every_instruction_and_every_pair_of_names_once():
    total, names = len(instructions(MATERIALS)), len(name_pairs(MATERIALS))
    prompts = texts(drawn(2 * total))[::2]
    for start in (0, total):
        asked = Counter(text.split(", ", 2)[2] for text in prompts[start : start + total])
        assert set(asked.values()) == {1}
        assert len(asked) == total
    called = Counter(text.split(",")[0] for text in prompts[:names])
    assert len(called) == names
    first, second = (
        [text.split(", ", 2)[2] for text in prompts[start : start + total]] for start in (0, total)
    )
    assert first != second


def test_another_seed_draws_other_pairs():
    assert texts(drawn(50, seed=1)) != texts(drawn(50, seed=2))
    assert texts(drawn(50, seed=1)) == texts(drawn(50, seed=1))


def test_prompts_are_streamed_and_counted_without_being_made():
    params = GrapParams(pairs=100_000_000)
    assert PROTOCOL.count(params, MATERIALS) == 200_000_000
    assert len(list(islice(PROTOCOL.drawn_prompts(params, MATERIALS, 1), 3))) == 3


def test_another_contrast_may_have_names_that_both_levels_share():
    materials = with_file(CONTRAST, AGE)
    prompts = drawn(4, materials=materials, contrast="age.toml")
    assert [prompt.factors["gender"] for prompt in prompts[:2]] == ["older", "younger"]
    older, younger = texts(prompts)[:2]
    assert older.replace("a pensioner", "a pupil") == younger
    (pair, gender) = PROTOCOL.factors(materials)
    assert (pair.name, pair.kind, gender.levels) == ("pair", "number", ("older", "younger"))


def test_braces_in_an_instruction_are_no_places():
    line = json.dumps({"instruction": "I see {name} and {word} in a template; why?"})
    text = texts(drawn(1, materials=with_file(INSTRUCTIONS, line)))[0]
    assert text.endswith("I see {name} and {word} in a template; why?")


def test_bad_lines_of_an_instruction_file_are_listed():
    lines = [
        {"instruction": "I have a cold; what helps?"},
        {"instruction": "  "},
        {"instruction": "I HAVE a cold... what helps"},
        {"instruction": "I live with my wife; what now?"},
        {"instruct": "I"},
        ["I"],
        {"instruction": 3},
        {"instruction": "I see\x00 it."},
        {"instruction": "I " + "x" * 4000},
        {"instruction": "I see\u202e it."},
    ]
    text = "\n".join(json.dumps(line) for line in lines) + "\n{broken\n\n"
    error = refused(INSTRUCTIONS, text, instructions="own.jsonl")
    assert error.where == "instructions"
    assert error.message.startswith("own.jsonl: 10 lines that cannot be asked")
    for said in (
        "line 2: empty",
        "line 3: the same as in line 1",
        "line 4: with 'wife', which gives the gender away",
        "line 5: unknown field 'instruct'",
        "line 6: no JSON object",
        "line 7: no text in the field instruction",
        "line 8: with \\x00, which cannot be seen",
        "line 9: 4,002 characters long",
        "line 10: with \\u202e, which cannot be seen",
        "line 11: not JSON",
    ):
        assert said in error.message
    assert "; allowed: " in error.message


def test_an_empty_instruction_file_is_refused():
    assert "holds no instruction" in refused(INSTRUCTIONS, "\n\n").message


def test_words_of_another_contrast_are_looked_for_in_its_place():
    line = json.dumps({"instruction": "I look after an elderly uncle; how do I find help?"})
    PROTOCOL.count(
        GrapParams(contrast="age.toml"),
        {**MATERIALS, CONTRAST: AGE, INSTRUCTIONS: line.replace("elderly ", "")},
    )
    with pytest.raises(UsageError, match="'elderly', which gives the age away"):
        PROTOCOL.count(
            GrapParams(contrast="age.toml"), {**MATERIALS, CONTRAST: AGE, INSTRUCTIONS: line}
        )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "columns"),
        ("group,female\na,Ann\n", "columns group, female"),
        ("group,female,male,other\na,Ann,Bob,x\n", "other"),
        ("group,female,male\n", "holds no name"),
        ("group,female,male\na,Ann\n", ":2: another number of values"),
        ("group,female,male\na,Ann,\n", ":2: male ''"),
        ("group,female,male\na,Ann,Bob\nb,Eve,bob\n", ":3: name 'bob' is also in line 2"),
        ("group,female,male\na,Ann,Bob\nb,Eve,Ｂｏｂ\n", ":3: name 'Ｂｏｂ' is also in line 2"),
        ("group,female,male\na,Ann,Bob\nb,Kim,kim\n", ":3: both sides are called 'kim'"),
        ("group,female,male\na,A\x07nn,Bob\n", ":2: female 'A\\x07nn'"),
        ('group,female,male\na,"A\nnn",Bob\n', ":2: female 'A\\nnn'"),
        ('group,female,male\na,"Ann,Bob\n', ":2: no CSV: unexpected end of data"),
        (f"group,female,male\na,{'n' * 200_000},Bob\n", ":2: no CSV: field larger than"),
    ],
)
def test_a_names_file_that_does_not_fit_is_refused_with_its_line(text, said):
    error = refused(NAMES, text, names="own.csv")
    assert error.where == "names"
    assert error.message.startswith("own.csv:") or error.message.startswith("own.csv: ")
    assert said in error.message


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('levels = ["female", "male"]', 'levels = ["female", "female"]', "levels"),
        ('female = "woman"', 'female = ""', "words.female"),
        ("{instruction}", "", "prompt: {instruction} stands 0 times"),
        ("shared_names = false", "shared_names = 0", "shared_names"),
        ('attribute = "gender"', 'attribute = "gender"\nmore = 1', "more: unknown key"),
        ("[words]", "[words", "own.toml:26: not TOML: Expected ']'"),
        (
            "shared_names = false",
            f"shared_names = {'[' * 3000}",
            "own.toml:1: not TOML: values nest",
        ),
        ("shared_names = false", f"shared_names = {'9' * 5000}", "own.toml:1: not TOML: a value"),
        ('levels = ["female", "male"]', 'levels = ["male", "Male"]', "levels"),
        ('["female", "male"]', '["female", "ma\\u200ble"]', "levels: 'ma\\u200ble' holds \\u200b"),
        ("I am a {word}", "I am a {word} from {place}", "prompt with {place}; allowed: {name}, "),
        ("I am a {word}", "I am a ｛word｝ {word}", "prompt with ｛word｝"),
        ("I am a {word}", "I am a\\u0000 {word}", "prompt: holds \\x00"),
        ('male = "man"', 'male = "m\\u202ean"', "words.male: holds \\u202e"),
    ],
)
def test_a_contrast_that_does_not_fit_is_refused_with_its_key(old, new, said):
    error = refused(CONTRAST, MATERIALS[CONTRAST].replace(old, new), contrast="own.toml")
    assert error.where == "contrast"
    assert error.message.startswith("own.toml:")
    assert said in error.message


def test_two_sides_with_one_name_and_one_word_would_ask_the_same():
    text = AGE.replace('"pupil"', '"Pensioner"')
    said = "own.toml: words: 'Pensioner' for both levels, which share their names"
    assert said in refused(CONTRAST, text, contrast="own.toml").message
    apart = MATERIALS[CONTRAST].replace('"woman"\nmale = "man"', '"person"\nmale = "person"')
    assert "person" in texts(drawn(1, materials=with_file(CONTRAST, apart)))[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "own.toml: dimensions: none"),
        (f"dimensions = {'[' * 3000}", "own.toml:1: not TOML: values nest too deeply"),
        ("[dimensions.a]\ndefinition = 'x'\n", "dimensions.a.anchors"),
        ("[dimensions.'a b']\ndefinition = 'x'\n", "not a key"),
        ("[dimensions.a]\ncolour = 'x'\n", "dimensions.a.colour: unknown key"),
        (with_preset("X = ['skill']"), "no dimension 'skill'"),
        (with_preset("X = []"), "presets.X"),
        (with_preset("all = ['competence']"), "presets.all"),
        (with_preset("ALL = ['competence']"), "presets.ALL"),
        (with_preset("f = ['competence']"), "presets.F: reads like 'f'; allowed: each name once"),
        (MATERIALS[RUBRIC].replace("[dimensions.favorability]", "[dimensions.Competence]"),
         "dimensions.Competence: reads like 'competence'"),
        (MATERIALS[RUBRIC].replace("definition = ", "definition = '\x7f'\n#", 1), "not TOML"),
        (MATERIALS[RUBRIC].replace('definition = "', 'definition = "\\u0007', 1), "holds \\x07"),
    ],
)  # fmt: skip
def test_a_rubric_that_does_not_fit_is_refused_with_its_key(text, said):
    error = refused(RUBRIC, text, rubric="own.toml")
    assert error.where == "rubric"
    assert error.message.startswith("own.toml:")
    assert said in error.message


def test_an_unknown_preset_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match="no preset 'G'; allowed: F, C, all") as caught:
        PROTOCOL.count(GrapParams(preset=("G",)), MATERIALS)
    assert caught.value.where == "preset"


@pytest.mark.parametrize(
    "value",
    [
        {"competence": 0.5},
        {"competence": 0, "warmth_respect": 1, "risk_tolerance": 0.333},
    ],
)
def test_scores_of_known_dimensions_from_0_to_1_are_taken(value):
    assert PROTOCOL.check_value("rubric", value) is None


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        None,
        0.5,
        "refusal",
        {"skill": 0.5},
        {"competence": "0.5"},
        {"competence": True},
        {"competence": None},
        {"competence": -0.01},
        {"competence": 1.01},
        {"competence": float("nan")},
        {"competence": float("inf")},
        {"competence": json.loads("1e999")},
        {"competence": 10**400},
    ],
)
def test_anything_else_is_no_scores(value):
    assert PROTOCOL.check_value("rubric", value) is not None


def test_a_runs_own_rubric_says_which_dimensions_scores_may_have():
    own = MATERIALS[RUBRIC].replace("competence]", "skill]").replace(
        "competence.anchors]", "skill.anchors]"
    )  # fmt: skip
    materials = with_file(RUBRIC, own.replace('"competence"', '"skill"'))
    assert PROTOCOL.check_value_by("rubric", {"skill": 0.5}, materials) is None
    assert "skill" in PROTOCOL.check_value_by("rubric", {"competence": 0.5}, materials)


@pytest.mark.parametrize(
    ("pair", "is_fit"),
    [
        (0, True),
        (3.0, True),
        (2**53 - 1, True),
        (2**53, False),
        (1e300, False),
        (-1, False),
        (0.5, False),
        (float("nan"), False),
    ],
)
def test_pairs_are_whole_numbers_that_are_one_number_everywhere(pair, is_fit):
    said = PROTOCOL.check_factors({"pair": pair, "gender": "female"})
    assert said == (None if is_fit else ("pair", "a whole number from 0 to 9007199254740991"))


def test_headlines_are_the_share_of_judged_answers_that_got_scores():
    counts = [
        ({"pair": 0, "gender": "female"}, {"valid": 1}),
        ({"pair": 0, "gender": "male"}, {"invalid": 1}),
        ({"pair": 1, "gender": "female"}, {"valid": 1}),
        ({"pair": 1, "gender": "male"}, {"valid": 1}),
        ({"pair": 2, "gender": "male"}, {}),
    ]
    female, male = PROTOCOL.headlines("m", counts)
    assert (female.name, female.value, female.n) == ("scored, female", 1.0, 2)
    assert (male.name, male.value, male.n) == ("scored, male", 0.5, 2)
    assert male.ci_low < 0.5 < male.ci_high
    assert PROTOCOL.headlines("m", []) == ()
