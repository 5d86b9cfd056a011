import subprocess
import sys
import tomllib

import pytest

import rubrics
from auditor import protocols
from auditor.errors import UsageError
from auditor.protocols.additions import is_summarised
from auditor.protocols.base import AnyProtocol, headline_task

EVERY = [protocols.get(name) for name in protocols.names()]


@pytest.mark.parametrize("protocol", EVERY, ids=lambda protocol: protocol.name)
class TestEveryProtocol:
    def test_goes_by_its_own_name(self, protocol: AnyProtocol):
        assert protocols.get(protocol.name) is protocol

    def test_declares_what_it_is_and_where_it_was_published(self, protocol: AnyProtocol):
        assert protocol.summary
        assert "\n" not in protocol.summary
        assert "arXiv" in protocol.paper or "(" in protocol.paper

    def test_reads_rubrics_that_exist(self, protocol: AnyProtocol):
        assert set(protocol.materials) <= set(rubrics.names())

    def test_names_headlines_that_its_card_explains(self, protocol: AnyProtocol):
        family = protocol.name.partition(".")[0]
        words = tomllib.loads(rubrics.read(f"{family}/statistics.toml"))
        assert is_summarised(protocol)
        assert {summary.statistic for summary in protocol.overview} <= words.keys()
        assert all(summary.over for summary in protocol.overview if summary.ends)

    def test_says_what_each_parameter_allows(self, protocol: AnyProtocol):
        fields = protocol.params_type.model_fields
        assert [name for name, field in fields.items() if not field.description] == []

    def test_runs_without_any_parameter(self, protocol: AnyProtocol):
        materials = {path: rubrics.read(path) for path in protocol.materials}
        params = protocol.params_type()
        prompts = list(protocol.prompts(params, materials))
        assert len(prompts) == protocol.count(params, materials) > 0
        assert protocol.repetitions(params) >= 1
        factors = {factor.name for factor in protocol.factors(materials)}
        assert {tuple(sorted(prompt.factors)) for prompt in prompts} == {tuple(sorted(factors))}

    def test_has_tasks_that_read_tasks_before_them(self, protocol: AnyProtocol):
        names = [task.name for task in protocol.tasks]
        for place, task in enumerate(protocol.tasks):
            assert task.reads is None or task.reads in names[:place]
        assert headline_task(protocol.tasks) in protocol.tasks

    def test_takes_its_own_labels_and_no_other(self, protocol: AnyProtocol):
        for task in protocol.tasks:
            for label in task.labels:
                assert protocol.check_value(task.name, label) is None
            if task.labels:
                assert protocol.check_value(task.name, "no such label")
            assert protocol.check_value(task.name, "")
            assert protocol.check_value(task.name, {"label": None})


def test_an_unknown_protocol_names_the_allowed_ones_and_a_close_one():
    with pytest.raises(UsageError) as caught:
        protocols.get("spatial.explict")
    assert "'spatial.explict'" in caught.value.message
    assert all(name in caught.value.message for name in protocols.names())
    assert caught.value.hint == "did you mean 'spatial.explicit'?"
    assert caught.value.exit_code == 2


def test_an_unknown_protocol_like_no_other_gets_no_hint():
    with pytest.raises(UsageError) as caught:
        protocols.get("zzz")
    assert caught.value.hint is None


def test_the_list_of_protocols_loads_none_of_them():
    code = (
        "import sys; from auditor import protocols; protocols.names();"
        "own = ('auditor.protocols.spatial', 'auditor.protocols.stories');"
        "print([m for m in sys.modules if m.startswith(own)"
        " or m.split('.')[0] in ('scipy', 'numpy', 'pandas', 'sklearn')])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
