"""Outside packages are found when asked for, and a broken one breaks nothing but itself."""

from __future__ import annotations

import json

import pytest

import rubrics
from agents import judges
from auditor import protocols, providers
from auditor.errors import UsageError
from auditor.plugins import Group
from tests.cli.driving import auditor, simulated

GOOD_JUDGE = """
from agents.judges import Verdict
class Mine:
    summary = "mine"
    task, name = "choice", "{name}"
    configuration = {{}}
    def judge(self, text):
        return Verdict(True, "men")
"""


def refused(ask) -> str:
    with pytest.raises(UsageError) as caught:
        ask()
    assert caught.value.exit_code == 2
    assert caught.value.hint is not None
    return caught.value.message


def listed(what: str) -> list[dict]:
    ran = auditor("list", what, "--json")
    assert ran.code == 0, ran.err
    return ran.data


def test_a_plugins_parts_are_listed_with_the_distribution_they_come_from(coin):
    of = "auditor-coin 1.2"
    assert [row["protocol"] for row in listed("protocols") if row["from"] == of] == ["coin"]
    found = [(row["task"], row["judge"]) for row in listed("judges") if row["from"] == of]
    assert found == [("side", "words"), ("name", "capitals")]
    names = [row["name"] for row in listed("providers") if row["from"] == of]
    assert names == ["coinbox", "coinserver"]
    assert {row["broken"] for what in ("protocols", "judges") for row in listed(what)} == {None}
    assert "coin/prompts.toml" in [row["file"] for row in listed("rubrics")]
    assert "man_share" in [row["statistic"] for row in listed("statistics")]
    assert of in auditor("list", "protocols").out


def test_a_plugins_statistics_are_explained(coin):
    ran = auditor("explain", "man_share")
    assert ran.code == 0
    assert "man / (man + woman)" in ran.out


def test_nothing_of_a_plugin_is_loaded_before_it_is_asked_for(installed, tmp_path):
    mark = tmp_path / "loaded"
    code = f"import pathlib\npathlib.Path({str(mark)!r}).touch()\nraise ImportError('late')\n"
    groups = {
        "auditor.protocols": {"lazy": "lazy_plugin:X"},
        "auditor.judges": {"stories.name.lazy": "lazy_plugin:X"},
        "auditor.providers": {"lazy": "lazy_plugin:X"},
    }
    installed("lazy-plugin", groups, modules={"lazy_plugin": code})
    spec = simulated(tmp_path / "s.toml")
    for command in (["--help"], ["plan", spec], ["run", spec], ["status", spec.with_suffix(".db")]):
        assert auditor(*command).code == 0
    assert not mark.exists()
    listed("judges")
    assert mark.exists()


BROKEN = {
    "an error while it is imported": ("raise RuntimeError('no luck')", "RuntimeError: no luck"),
    "an exit while it is imported": ("raise SystemExit(3)", "SystemExit: 3"),
    "nothing of that name": ("y = 1", "has no attribute 'X'"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_plugin_that_cannot_be_loaded_is_named_with_the_reason(case, installed):
    code, reason = BROKEN[case]
    module = f"broken_{list(BROKEN).index(case)}"
    groups = {
        "auditor.protocols": {"broken": f"{module}:X"},
        "auditor.judges": {"stories.name.broken": f"{module}:X"},
        "auditor.providers": {"broken": f"{module}:X"},
    }
    installed("broken-plugin", groups, version="0.3", modules={module: code})
    for ask, entry, group in (
        (lambda: protocols.get("broken"), "broken", "auditor.protocols"),
        (lambda: judges.offline("stories", "name", "broken"), "stories.name.broken", Group.JUDGES),
        (lambda: providers.known_provider("broken"), "broken", "auditor.providers"),
    ):
        said = refused(ask)
        assert said.startswith(f"the plug-in {entry!r} ({group}) of broken-plugin 0.3 cannot be")
        assert reason in said
    for what in ("protocols", "judges", "providers"):
        (row,) = [row for row in listed(what) if row["from"] == "broken-plugin 0.3"]
        assert reason in row["broken"]
        assert len(listed(what)) > 1


def test_a_broken_plugin_disturbs_nothing_else(installed, coin, tmp_path):
    groups = {"auditor.protocols": {"broken": "nowhere_at_all:X"}}
    installed("broken-plugin", groups)
    assert protocols.get("coin").name == "coin"
    assert auditor("run", simulated(tmp_path / "s.toml")).code == 0
    assert auditor("explain", "men_share").code == 0


WRONG_PROTOCOLS = {
    "class X: pass": "it has no method prompts, count",
    "X = 3": "is not a class",
    "from auditor_coin.protocol import Coin\nclass X(Coin): name = 'other'": "name is 'other'",
    "from auditor_coin.protocol import Coin\nclass X(Coin): name, summary = 'wrong', 3": "summary",
    "from auditor_coin.protocol import Coin\nclass X(Coin): name, tasks = 'wrong', ()": "tasks is",
    "from auditor_coin.protocol import Coin\nclass X(Coin): name, params_type = 'wrong', int": (
        "params_type is not a class"
    ),
    "from auditor_coin.protocol import Coin\nclass X(Coin):\n name = 'wrong'\n"
    " materials = ('wrong/none.csv',)": "there is no rubric file 'wrong/none.csv'",
    "from auditor_coin.protocol import Coin\nclass X(Coin): name, rubrics = 'wrong', 'not_there'": (
        "the package 'not_there' has no files"
    ),
    "from auditor_coin.protocol import Coin\nclass X(Coin):\n name, materials = 'wrong', ()\n"
    " def __init__(self): raise OSError('disk')": "OSError: disk",
}


@pytest.mark.parametrize("code", WRONG_PROTOCOLS)
def test_what_a_protocol_lacks_is_said(code, installed, coin):
    module = f"wrong_protocol_{list(WRONG_PROTOCOLS).index(code)}"
    groups = {"auditor.protocols": {"wrong": f"{module}:X"}}
    installed("wrong-plugin", groups, modules={module: code})
    assert WRONG_PROTOCOLS[code] in refused(lambda: protocols.get("wrong"))


WRONG_JUDGES = {
    ("choice.mine", GOOD_JUDGE): 'is not called "PROTOCOL.TASK.NAME"',
    ("spatial.explicit.colour.mine", GOOD_JUDGE): "has no task 'colour'; allowed: choice",
    ("spacial.explicit.choice.mine", GOOD_JUDGE): "no protocol 'spacial.explicit'",
    ("spatial.explicit.choice.mine", "Mine = 3"): "neither a class nor a function",
    ("spatial.explicit.choice.mine", "class Mine: pass"): "summary is not a text",
    (
        "spatial.explicit.choice.mine",
        "class Mine:\n summary = 's'\n materials = ('none.csv',)",
    ): "there is no rubric file 'none.csv'",
}


@pytest.mark.parametrize("case", WRONG_JUDGES)
def test_what_a_judge_lacks_is_said(case, installed):
    entry, code = case
    module = f"wrong_judge_{list(WRONG_JUDGES).index(case)}"
    code = code.format(name="mine") if code is GOOD_JUDGE else code
    installed("wrong-plugin", {Group.JUDGES: {entry: f"{module}:Mine"}}, modules={module: code})
    ((_, said),) = judges.outside_judges()
    assert WRONG_JUDGES[case] in said


WRONG_INSTANCES = {
    "raise ValueError('no model file')": "ValueError: no model file",
    "self.task = 'other'": "its judge's task is 'other'; allowed: 'choice'",
    "self.configuration = {1: object()}": "configuration is not JSON",
    "self.configuration = []": "configuration is not a mapping",
    "self.judge = None": "neither a method judge nor judge_batch",
    "self.judge_batch = print": "no method start, close",
}


@pytest.mark.parametrize("line", WRONG_INSTANCES)
def test_what_a_judge_that_was_made_lacks_is_said(line, installed):
    module = f"wrong_instance_{list(WRONG_INSTANCES).index(line)}"
    code = GOOD_JUDGE.format(name="mine") + f"    def __init__(self):\n        {line}\n"
    entry = {"spatial.explicit.choice.mine": f"{module}:Mine"}
    installed("wrong-plugin", {Group.JUDGES: entry}, modules={module: code})
    found = judges.offline("spatial.explicit", "choice", "mine")
    assert WRONG_INSTANCES[line] in refused(lambda: found.open({}))


def test_a_place_that_a_built_in_part_has_is_refused_where_it_is_asked_for(installed, tmp_path):
    groups = {
        "auditor.protocols": {"spatial.explicit": "clash_plugin:X"},
        "auditor.judges": {"spatial.explicit.choice.rules": "clash_plugin:X"},
        "auditor.providers": {"sim": "clash_plugin:X"},
    }
    for group, entries in groups.items():
        installed(f"clash-{group[8:]}", {group: entries}, modules={"clash_plugin": "X = 1"})
    spec = simulated(tmp_path / "s.toml")
    for command in ("plan", "run"):
        ran = auditor(command, spec)
        assert ran.code == 2
        assert f"{spec}:" in ran.err
        assert "of clash-protocols 1.0 cannot be used: its name is a built-in protocol's" in ran.err
        assert "of clash-providers 1.0 cannot be used: its name is a built-in" in ran.err
    assert protocols.get("spatial.explicit").summary, "the built-in one is what its name means"
    said = refused(lambda: judges.refuse_clash("spatial.explicit", "choice", "rules"))
    assert "of clash-judges 1.0 cannot be used" in said
    for what in ("protocols", "judges", "providers"):
        (row,) = [row for row in listed(what) if row["broken"]]
        assert "built-in" in row["broken"]


def test_two_distributions_with_one_name_are_both_named(installed):
    groups = {"auditor.protocols": {"twice": "twice_plugin:X"}}
    installed("twice-a", groups, modules={"twice_plugin": "X = 1"})
    installed("twice-b", groups)
    said = refused(lambda: protocols.get("twice"))
    assert "twice-a 1.0" in said
    assert "twice-b 1.0" in said


def test_a_name_that_is_none_lists_outside_ones_too(coin):
    with pytest.raises(UsageError) as caught:
        protocols.get("coins")
    assert ", coin" in caught.value.message
    assert caught.value.hint == "did you mean 'coin'?"
    with pytest.raises(UsageError, match="allowed: rules, capitals"):
        judges.offline("stories", "name", "capitls")


def test_a_spec_with_a_broken_plugin_is_refused_at_its_line(installed, tmp_path):
    groups = {
        "auditor.protocols": {"broken": "nowhere_at_all:X"},
        "auditor.providers": {"badbox": "nowhere_at_all:X"},
    }
    installed("broken-plugin", groups)
    spec = tmp_path / "s.toml"
    spec.write_text('name = "s"\n[[targets]]\nmodel = "badbox:m"\n[protocols.broken]\n')
    ran = auditor("run", spec, "--json")
    assert ran.code == 2
    first, second = ran.problem["error"].split("\n")
    assert first.startswith(f"{spec}:3: targets[0].model: the plug-in 'badbox' (auditor.providers)")
    assert second.startswith(f"{spec}:4: protocols.broken: the plug-in 'broken'")


def test_what_a_plugin_prints_while_it_is_loaded_does_not_get_into_the_data(installed):
    module = {"loud_plugin": "print('hello')\nX = 1"}
    installed("loud", {"auditor.providers": {"loud": "loud_plugin:X"}}, modules=module)
    ran = auditor("list", "providers", "--json")
    assert json.loads(ran.out)
    assert "hello" in ran.err


def test_a_folder_of_rubric_files_has_one_owner(coin):
    protocols.take_up_all()
    rubrics.mount("coin", "auditor_coin.rubrics")
    with pytest.raises(UsageError, match="the folder 'coin' is taken"):
        rubrics.mount("coin", "auditor_coin")
    with pytest.raises(UsageError, match="the folder 'stories' is taken"):
        rubrics.mount("stories", "auditor_coin.rubrics")
    assert rubrics.read("coin/words.toml").startswith("man = ")
