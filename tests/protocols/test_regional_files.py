import csv
import tomllib
from collections import Counter

import pytest

import rubrics
from auditor.errors import UsageError
from auditor.protocols.regional import RegionalDecision, RegionalStereotype
from auditor.protocols.regional.params import DecisionParams, StereotypeParams
from auditor.protocols.regional.regions import all_regions, indicators
from auditor.protocols.regional.tasks import all_tasks
from auditor.protocols.regional.traits import all_traits

RATING, DECISION = RegionalStereotype(), RegionalDecision()
MATERIALS = {path: rubrics.read(path) for path in (*RATING.materials, *DECISION.materials)}
STATES = "code,name_en,name_zh\nCA,California,加利福尼亚\nTX,Texas,得克萨斯\n"
TASK = """[tasks.T1]
name = "Plumber"
domain = "Work"

[tasks.T1.en]
noun = "Person"
text = "{region_a} or {region_b}: who is a {occupation}?"
occupations = ["plumber", "baker"]

[tasks.T1.zh]
noun = "人"
text = "{region_a}还是{region_b}：谁是{occupation}？"
occupations = ["水管工", "面包师"]
"""


def mistake(count):
    with pytest.raises(UsageError) as caught:
        count()
    return caught.value


def regional(text, **params):
    """The mistake in a regions file of the user's."""
    materials = {**MATERIALS, "regional/regions.csv": text, "regional/indicators.csv": "code\n"}
    return mistake(
        lambda: DECISION.count(DecisionParams(regions="states.csv", **params), materials)
    )


def tasked(text):
    materials = {**MATERIALS, "regional/tasks.toml": text}
    return mistake(lambda: DECISION.count(DecisionParams(tasks="my.toml"), materials))


def test_there_are_the_papers_34_regions_by_kind():
    rows = list(csv.DictReader(MATERIALS["regional/regions.csv"].splitlines()))
    assert Counter(row["kind"] for row in rows) == {
        "province": 23,
        "autonomous_region": 5,
        "municipality": 4,
        "sar": 2,
    }
    regions = all_regions(MATERIALS)
    assert len({region.code for region in regions}) == 34
    assert all(region.name_zh.startswith(region.name_zh_short) for region in regions)


def test_indicators_are_known_of_the_31_mainland_regions_and_blank_elsewhere():
    known = indicators(MATERIALS)
    assert set(known) == {"gdp", "income", "broadband"}
    for values in known.values():
        assert len(values) == 31
        assert not {"TW", "HK", "MO"} & set(values)
        assert min(values.values()) > 0
    # The national 670 million subscriptions, in units of 10,000.
    assert sum(known["broadband"].values()) == pytest.approx(66982.8, abs=0.5)


def test_eight_traits_are_four_of_each_dimension_and_two_of_each_sub_dimension():
    traits = all_traits(MATERIALS)
    assert Counter(trait.dimension for trait in traits) == {"Warmth": 4, "Competence": 4}
    assert Counter(trait.sub_dimension for trait in traits) == {
        "Sociability": 2,
        "Morality": 2,
        "Ability": 2,
        "Assertiveness": 2,
    }


def test_nine_tasks_are_three_of_each_domain_and_name_eight_occupations_or_none():
    tasks = all_tasks(MATERIALS)
    assert Counter(task.domain for task in tasks) == {
        "Education": 3,
        "Work": 3,
        "Social Interaction": 3,
    }
    counts = {task.code: task.occupation_count for task in tasks if task.occupation_count}
    assert counts == {"O1": 8, "O2": 8, "O3": 8}


def test_each_wording_says_whose_it_is():
    tasks = tomllib.loads(MATERIALS["regional/tasks.toml"])["tasks"]
    assert {task["en"]["mark"] for task in tasks.values()} == {"paper"}
    assert {task["zh"]["mark"] for task in tasks.values()} == {"ours"}
    prompts = tomllib.loads(MATERIALS["regional/prompts.toml"])
    assert {entry["mark"] for entry in prompts["rating"].values()} == {"reconstructed"}
    assert {entry["mark"] for entry in prompts["constraint"].values()} == {"ours"}


def test_each_english_task_holds_its_nouns_with_their_letters():
    for task in all_tasks(MATERIALS):
        wording = task.wording["en"]
        for letter, place in (("A", "{region_a}"), ("B", "{region_b}")):
            assert f"{wording.noun} {letter} is from {place}." in wording.text
        wording = task.wording["zh"]
        assert f"{wording.noun}A来自{{region_a}}。{wording.noun}B来自{{region_b}}。" in wording.text


def test_another_countrys_regions_and_tasks_are_another_file():
    materials = {
        **MATERIALS,
        "regional/regions.csv": STATES,
        "regional/indicators.csv": "code\n",
        "regional/tasks.toml": TASK,
    }
    params = DecisionParams(regions="states.csv", tasks="my.toml", language=["en"])
    assert DECISION.count(params, materials) == 2
    first, second = DECISION.drawn_prompts(params, materials, seed=1)
    assert first.factors["region_a"] == second.factors["region_b"] == "CA"
    assert first.messages[0].content.startswith("California or Texas: who is a ")


def test_own_regions_bring_no_indicators_of_others():
    """MO is Macao in one country and Missouri in another."""
    stand_ins = StereotypeParams(regions="states.csv").stand_ins
    assert stand_ins["regional/regions.csv"].file == "states.csv"
    assert stand_ins["regional/indicators.csv"].file is None
    materials = {
        **MATERIALS,
        "regional/regions.csv": STATES,
        "regional/indicators.csv": stand_ins["regional/indicators.csv"].text,
    }
    assert indicators(materials) == {}
    both = StereotypeParams(regions="states.csv", indicators="money.csv").stand_ins
    assert both["regional/indicators.csv"].file == "money.csv"
    assert StereotypeParams().stand_ins == {}


def test_an_official_name_serves_where_there_is_no_short_one():
    region = all_regions({"regional/regions.csv": STATES})[0]
    assert region.name("zh") == region.name_zh_short == "加利福尼亚"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (STATES + "CA,Carolina,卡罗来纳\n", 4, "code 'CA' is also in line 2; allowed: each once"),
        (STATES + "XX,Texas,德州\n", 4, "name 'Texas' is also in line 3"),
        (STATES + "XX,Tex,得克萨斯\n", 4, "name '得克萨斯' is also in line 3"),
        (STATES + "NY,New York,\n", 4, "name_zh is blank"),
        (STATES + "NY,,纽约\n", 4, "name_en is blank"),
        (STATES + "NY,\u200d,纽约\n", 4, "name_en is blank"),
        (STATES + ",New York,纽约\n", 4, "code is blank"),
        (STATES + "NY,New York\n", 4, "2 values; allowed: 3"),
        ("code,name_en,name_zh\nCA,California,加州\n", 2, "allowed: at least two"),
        ("code,name_en,name_zh\n", 1, "allowed: at least two"),
        ("", 1, "no column 'code'"),
        ("code,name_en\nCA,California\n", 1, "no column 'name_zh'"),
        (STATES.replace("name_zh", "name_zh,gdp"), 1, "column 'gdp' is none of a regions file"),
        ("code,code,name_en,name_zh\n", 1, "column 'code' stands twice"),
        (STATES + "ca,Carolina,卡罗来纳\n", 4, "code 'ca' reads like code 'CA' in line 2"),
        (STATES + "XX,TEXAS,德州\n", 4, "name 'TEXAS' reads like name 'Texas' in line 3"),
        (
            STATES + "XX,Ｔｅｘａｓ,德州\n",
            4,
            "reads like name 'Texas' in line 3; allowed: each once",
        ),
        (STATES + "XX,Cali\u200dfornia,加州\n", 4, "reads like name 'California' in line 2"),
        (STATES + "XX,tx,德州\n", 4, "name 'tx' reads like code 'TX' in line 3"),
        (STATES + "California,Calif.,加州\n", 4, "code 'California' is also name in line 2"),
        (STATES + "XX,德州,德克萨斯\nYY,Tejas,德州\n", 5, "name '德州' is also in line 4"),
        (STATES + "XX,T\x07x,德州\n", 4, "name_en 'T\\x07x' holds \\x07"),
        (STATES + "XX,T\u202ex,德州\n", 4, "holds \\u202e; allowed: characters that can be seen"),
        (STATES + "X\x85X,Tex,德州\n", 4, "code 'X\\x85X' holds \\x85"),
        (STATES + 'XX,"Te\nx",德州\n', 4, "name_en 'Te\\nx' holds \\n"),
        (STATES + 'XX,"Tex,德州\n', 4, "no CSV: unexpected end of data"),
        (STATES + f"XX,{'x' * 200_000},德州\n", 4, "no CSV: field larger than field limit"),
        (STATES.replace("code", "co\x00de"), 1, "column 'co\\x00de' holds \\x00"),
    ],
)
def test_a_wrong_regions_file_is_refused_by_file_line_and_reason(text, line, said):
    error = regional(text)
    assert error.message.startswith(f"states.csv:{line}: ")
    assert said in error.message
    assert "; allowed: " in error.message
    assert (error.where, error.exit_code) == ("regions", 2)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("code,gdp\nBJ,many\n", 2, "gdp 'many' is not a number; allowed: a number, or blank"),
        ("code,gdp\nBJ,1\nHE,nan\n", 3, "gdp 'nan' is not a number"),
        ("code,gdp\nBJ,1\nHE,inf\n", 3, "gdp 'inf' is not a number"),
        ('code,gdp\nBJ,"1,000"\n', 2, "gdp '1,000' is not a number"),
        ("code,gdp\nBJ,1\nBJ,2\n", 3, "code 'BJ' is also in line 2"),
        ("code,gdp\nZZ,1\n", 2, "code 'ZZ' is no region's"),
        ("region,gdp\nBJ,1\n", 1, "no column 'code'"),
        ("code,gdp\nBJ,1,2\n", 2, "3 values"),
        ("code\nBJ\n", 1, "no column of an indicator; allowed: code, and one or more indicators"),
        ("", 1, "no column 'code'"),
        (" \n", 1, "no column 'code'"),
        ("code,gdp\nBJ,\n", 1, "no number of gdp; allowed: one or more of each indicator"),
        ("code,gdp\n", 1, "no region in the file; allowed: at least one"),
        ("code,gdp,GDP\nBJ,1,2\n", 1, "column 'GDP' reads like column 'gdp'"),
        ("code,gdp\nBJ,1\nbj,2\n", 3, "code 'bj' reads like code 'BJ' in line 2"),
        ("code,g\u200bdp\nBJ,1\n", 1, "column 'g\\u200bdp' holds \\u200b"),
    ],
)
def test_a_wrong_indicator_file_is_refused_by_file_line_and_reason(text, line, said):
    materials = {**MATERIALS, "regional/indicators.csv": text}
    params = StereotypeParams(indicators="money.csv")
    error = mistake(lambda: RATING.count(params, materials))
    assert error.message.startswith(f"money.csv:{line}: ")
    assert said in error.message
    assert error.where == "indicators"


def test_a_blank_indicator_is_unknown_and_not_zero():
    materials = {**MATERIALS, "regional/indicators.csv": "code,gdp,area\nBJ,,16.4\nHE,0,\n"}
    assert indicators(materials) == {"gdp": {"HE": 0.0}, "area": {"BJ": 16.4}}


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("[tasks.T1.zh]", "[tasks.T1.en]", 10, "not TOML"),
        (TASK[TASK.index("[tasks.T1.zh]") :], "", 1, "no translation: zh is missing"),
        ('text = "{region_a} or {region_b}', 'text = "{region_a} or B', 5, "without {region_b}"),
        ("谁是{occupation}", "谁", 10, "without {occupation}"),
        ('["plumber", "baker"]', '["plumber"]', 5, "another number than in the other language"),
        ('["plumber", "baker"]', '["plumber", "plumber"]', 5, "one stands twice"),
        ('occupations = ["plumber", "baker"]', "", 5, "with {occupation}"),
        ('noun = "人"', 'noun = " "', 10, "noun is blank"),
        ('noun = "人"', "noun = 1", 10, "noun is no text"),
        ('noun = "人"', f"noun = {'[' * 3000}", 1, "not TOML: values nest too deeply"),
        ('noun = "人"', f"noun = {'9' * 5000}", 1, "not TOML: a value that is none"),
        ('name = "Plumber"', "", 1, "name is missing"),
        ('domain = "Work"', 'domain = "Work"\nkind = 1', 1, "kind: unknown key"),
        ("[tasks.T1]", "[task.T1]", 1, "task: unknown key; allowed: tasks"),
        (
            "who is a",
            "who in {place} is a",
            5,
            "text with {place}; allowed: {region_a}, {region_b}",
        ),
        ("who is a {", "who is in {Region_A} a {", 5, "text with {Region_A}"),
        ("谁是{", "谁在｛region_a｝是{", 10, "text with ｛region_a｝"),
        ('noun = "Person"', 'noun = "{noun}"', 5, "noun with {noun}; allowed: no place"),
        ('["plumber", "baker"]', '["plumber", "Plumber "]', 5, "one stands twice"),
        ('["plumber", "baker"]', '["plumber", "{baker}"]', 5, "occupations with {baker}"),
        ('["plumber", "baker"]', '["plumber", "ba\\u0007ker"]', 5, "occupations holds \\x07"),
        ("or {region_b}", "or\\u0000{region_b}", 5, "text holds \\x00"),
        ('name = "Plumber"', 'name = "Plumber\\u200b"', 1, "name holds \\u200b"),
        ('domain = "Work"', 'domain = "Work\\n"', 1, "domain holds \\n"),
        ("[tasks.T1]", '[tasks." "]', 1, "not a name for a task"),
    ],
)
def test_a_wrong_tasks_file_is_refused_by_file_line_and_reason(old, new, line, said):
    assert old in TASK
    error = tasked(TASK.replace(old, new, 1))
    assert error.message.startswith(f"my.toml:{line}: ")
    assert said in error.message
    assert error.where == "tasks"


def test_two_tasks_of_one_name_are_refused():
    error = tasked(TASK + TASK.replace("T1", "T2"))
    assert error.message.startswith("my.toml:14: name 'Plumber' is also in line 1")


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ({"T1": "t1"}, "code 't1' reads like code 'T1' in line 1"),
        ({"T1": "T2", '"Plumber"': '"PLUMBER"'}, "name 'PLUMBER' reads like name 'Plumber' in"),
        ({"T1": "T2", '"Plumber"': '"T1"'}, "name 'T1' is also code in line 1"),
        (
            {"T1": "T2", '"Plumber"': '"Baker"', '"Work"': '"work"'},
            "domain 'work' reads like 'Work' in line 1; allowed: one spelling",
        ),
    ],
)
def test_two_tasks_that_read_alike_are_refused(second, said):
    other = TASK
    for old, new in second.items():
        other = other.replace(old, new)
    error = tasked(TASK + other)
    assert error.message.startswith("my.toml:14: ")
    assert said in error.message


def test_tasks_in_one_line_are_told_apart():
    wording = '{noun = "P", text = "{region_a}, {region_b}"}'
    task = f'{{name = "Same", domain = "Work", en = {wording}, zh = {wording}}}'
    assert (
        "name 'Same' is also in line 1" in tasked(f"tasks = {{T1 = {task}, T2 = {task}}}").message
    )


def test_a_tasks_file_without_a_task_is_refused():
    assert "no task" in tasked("").message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("trait,trait_zh,dimension\nCalm,,Warmth\n", "2: trait_zh is blank"),
        ("trait,trait_zh,dimension\nCalm,平静,Warmth\nCalm,冷静,Warmth\n", "3: trait 'Calm'"),
        ("trait,trait_zh,dimension\n", "1: no trait in the file"),
        ("trait,trait_zh\nCalm,平静\n", "1: no column 'dimension'"),
        (
            "trait,trait_zh,dimension\nCalm,平静,Warmth\nCALM,冷静,Warmth\n",
            "3: trait 'CALM' reads like trait 'Calm' in line 2; allowed: each once",
        ),
        (
            "trait,trait_zh,dimension\nCalm,平静,Warmth\nQuiet,Calm,Warmth\n",
            "3: trait_zh 'Calm' is also trait in line 2",
        ),
        (
            "trait,trait_zh,dimension\nCalm,平静,Warmth\nKind,友善,warmth\n",
            "3: dimension 'warmth' reads like 'Warmth' in line 2; allowed: one spelling",
        ),
        ("trait,trait_zh,dimension\nCa\x1blm,平静,Warmth\n", "2: trait 'Ca\\x1blm' holds \\x1b"),
    ],
)
def test_a_wrong_traits_file_is_refused_by_file_line_and_reason(text, said):
    materials = {**MATERIALS, "regional/traits.csv": text}
    error = mistake(lambda: RATING.count(StereotypeParams(traits="my.csv"), materials))
    assert error.message.startswith(f"my.csv:{said}")


@pytest.mark.parametrize(
    ("params", "where", "said"),
    [
        ({"region": ["BJ"]}, "region", "one region; allowed: at least two"),
        ({"region": ["BJ", "HEE"]}, "region", "no region 'HEE' (did you mean 'HE'?)"),
        ({"task": ["E4"]}, "task", "no task 'E4'"),
    ],
)
def test_levels_that_are_none_are_refused_with_what_is_allowed(params, where, said):
    error = mistake(lambda: DECISION.count(DecisionParams(**params), MATERIALS))
    assert error.where == where
    assert said in error.message
    assert "; allowed: " in error.message
