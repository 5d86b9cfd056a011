"""OpenAI's agents SDK installs a package of the same name as one of ours."""

from __future__ import annotations

from tests.cli.driving import ROOT, as_process


def test_a_foreign_package_agents_is_named_and_nothing_else_happens(tmp_path):
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "__init__.py").write_text("from agents.agent import Agent\n")
    (tmp_path / "agents" / "agent.py").write_text("class Agent:\n    pass\n")
    env = {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    ran = as_process("list", "protocols", env=env, cwd=tmp_path)
    assert ran.code == 2
    assert ran.out == ""
    first, *rest = ran.err.splitlines()
    assert first == (
        f"error: the package `agents` at {tmp_path / 'agents' / '__init__.py'} is not this"
        " program's own"
    )
    assert len(rest) == 1
    assert rest[0].startswith("hint: uninstall openai-agents")


def test_a_foreign_package_that_cannot_be_imported_is_named_too(tmp_path):
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "__init__.py").write_text("import nothing_of_this_name\n")
    env = {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    ran = as_process("list", "protocols", env=env, cwd=tmp_path)
    assert ran.code == 2
    assert f"error: the package `agents` at {tmp_path / 'agents'}" in ran.err
    assert "Traceback" not in ran.err


def test_a_foreign_module_is_told_in_json_where_json_is_asked_for(tmp_path):
    (tmp_path / "agents.py").write_text("")
    env = {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    ran = as_process("list", "protocols", "--json", env=env, cwd=tmp_path)
    assert ran.code == 2
    assert set(ran.problem) == {"error", "where", "hint"}
    assert ran.problem["where"] == str(tmp_path / "agents.py")
