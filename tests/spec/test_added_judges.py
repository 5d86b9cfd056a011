"""The block that `auditor judge` writes behind the spec of a store."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import UsageError
from auditor.scheduler.judge_plan import judges_of
from auditor.scheduler.plan import make_plan
from auditor.spec.added import ADDED, toml_value, with_block, with_block_of, without_added
from auditor.spec.loading import parse_spec

OWN = """name = "s"
[endpoints.local]
provider = "openai"
base_url = "http://127.0.0.1:9/v1"
concurrency = 3
[[targets]]
model = "sim:m"
[protocols."spatial.explicit"]
repetitions = 1"""
JUDGE = {"task": "choice", "protocol": "spatial.explicit", "name": "j", "model": "openai:j"}
LOCAL = {"local": {"provider": "openai", "concurrency": 9}}


def spec(text):
    return parse_spec(text, "s.toml")


def test_the_users_own_text_stays_as_it_is():
    text = with_block(OWN, [JUDGE], {})
    assert without_added(text) == OWN + "\n"
    assert without_added(without_added(text)) == OWN + "\n"
    again = with_block(text, [JUDGE, {**JUDGE, "name": "k"}], LOCAL)
    assert without_added(again) == OWN + "\n"
    assert with_block(again, [], {}) == OWN + "\n"
    assert with_block_of(again, "name = 1\n").startswith("name = 1\n# Added")


def test_an_added_judge_works_beside_the_default_one():
    loaded = spec(with_block(OWN, [{**JUDGE, "endpoint": "local"}], {}))
    works = make_plan(loaded).judges
    assert [work.record.name for work in works] == ["rules", "j"]
    assert [judge.is_added for judge in loaded.judges] == [True]


def test_an_added_judge_works_beside_those_that_the_spec_names():
    own = OWN.replace('name = "s"', 'name = "s"\njudges = [{task = "choice", model = "sim:one"}]')
    works = make_plan(spec(with_block(own, [JUDGE], {}))).judges
    assert [work.record.name for work in works] == ["one", "j"]


def test_a_judge_of_one_protocol_leaves_the_others_alone():
    own = OWN + '\n[protocols.stories]\nrepetitions = 1\noccupations = ["baker"]\n'
    judge = {"task": "name", "protocol": "stories", "name": "j", "model": "sim:j"}
    loaded = spec(with_block(own, [judge], {}))
    names = [f"{work.record.task}/{work.record.name}" for work in make_plan(loaded).judges]
    assert names == ["choice/rules", "name/rules", "name/j", "gender/nomquamgender"]
    tasks = make_plan(loaded).protocols["spatial.explicit"][0].tasks
    assert [judge.name for judge in judges_of(loaded, "spatial.explicit", tasks[0])] == ["rules"]


def test_added_settings_of_an_endpoint_stand_over_its_own():
    loaded = spec(with_block(OWN, [{**JUDGE, "endpoint": "local"}], LOCAL))
    local = loaded.endpoints["local"]
    assert (local.concurrency, local.base_url) == (9, "http://127.0.0.1:9/v1")


def test_an_endpoint_that_only_a_vendor_implies_can_be_given_settings():
    settings = {"openai": {"provider": "openai", "concurrency": 2}}
    loaded = spec(with_block(OWN, [JUDGE], settings))
    assert loaded.endpoints["openai"].concurrency == 2


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        ({**JUDGE, "params": {"temperature": 9}}, "added.judges[0].params.temperature: value 9"),
        ({**JUDGE, "secret": "sk"}, "added.judges[0].secret: unknown key"),
        ({**JUDGE, "task": 3}, "added.judges[0].task: value 3"),
    ],
)
def test_mistakes_are_told_by_their_place(judge, said):
    with pytest.raises(UsageError) as caught:
        spec(with_block(OWN, [judge], {}))
    assert said in caught.value.message


def test_a_spec_may_give_a_judge_one_protocol_that_has_its_task():
    text = OWN.replace(
        'name = "s"',
        'name = "s"\njudges = [{task = "choice", judge = "rules", protocol = "stories"}]',
    )
    with pytest.raises(UsageError) as caught:
        spec(text)
    assert 'judges[0].protocol: value "stories"; allowed: spatial.explicit' in caught.value.message


TOML = st.recursive(
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=("Cs",))), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(TOML)
def test_every_value_comes_back_as_it_was_written(value):
    assert tomllib.loads(f"v = {toml_value(value)}")["v"] == value


@given(st.text(st.characters(exclude_categories=("Cs",)), min_size=1))
def test_every_name_comes_back_as_it_was_written(name):
    text = with_block("", [{name: 1}], {name: {"a": 1}})
    assert tomllib.loads(text)[ADDED] == {"judges": [{name: 1}], "endpoints": {name: {"a": 1}}}
