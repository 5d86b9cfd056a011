"""A spec that cannot be carried out: said with file, line, value and what is allowed."""

from __future__ import annotations

import pytest

from tests.cli.driving import auditor, contents, over_http, simulated, write

HEAD = 'name = "tiny"\nseed = 1\n'
TARGET = '[[targets]]\nname = "a"\nmodel = "sim:fair"\n'
PROTOCOL = '[protocols."spatial.explicit"]\nspaces = ["kitchen"]\n'

MISTAKES = {
    "unknown key": (HEAD + "sede = 1\n" + TARGET + PROTOCOL, 3, "sede", "seed"),
    "wrong type": (HEAD + TARGET + PROTOCOL + 'repetitions = "many"\n', 8, '"many"', "whole"),
    "zero repetitions": (HEAD + TARGET + PROTOCOL + "repetitions = 0\n", 8, "0", "from 1"),
    "unknown protocol": (
        HEAD + TARGET + '[protocols."spatial.explicitt"]\n',
        6,
        "spatial.explicitt",
        '"spatial.explicit"',
    ),
    "unknown space": (
        HEAD + TARGET + '[protocols."spatial.explicit"]\nspaces = ["kitchn"]\n',
        7,
        "kitchn",
        "spaces.csv",
    ),
    "unknown provider": (
        HEAD + '[[targets]]\nmodel = "opnai:x"\n' + PROTOCOL,
        4,
        "opnai:x",
        "openai",
    ),
    "equal targets": (HEAD + TARGET + TARGET.replace('"a"', '"b"') + PROTOCOL, 6, '"a"', "differ"),
    "equal names": (
        HEAD + TARGET + TARGET.replace("fair", "other") + PROTOCOL,
        7,
        '"a"',
        "a name of its own",
    ),
    "temperature twice": (
        HEAD + TARGET + "params = {temperature = 0.5}\n" + PROTOCOL,
        6,
        "0.5",
        "only",
    ),
    "no targets": (HEAD + PROTOCOL, 1, "targets", "[[targets]]"),
    "no protocols": (HEAD + TARGET, 1, "protocols", "spatial.explicit"),
    "not TOML": (HEAD + TARGET + "repetitions = = 3\n", 6, "not TOML", "TOML 1.0"),
    "a judge of no task": (
        HEAD + 'judges = [{task = "rating", judge = "rules"}]\n' + TARGET + PROTOCOL,
        3,
        "rating",
        "choice",
    ),
}


@pytest.mark.parametrize("command", ["run", "plan", "doctor"])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_placed_and_nothing_is_created(mistake, command, tmp_path):
    text, line, value, allowed = MISTAKES[mistake]
    spec = tmp_path / "s.toml"
    spec.write_text(text)
    before = contents(tmp_path)
    ran = auditor(command, spec)
    assert ran.code == 2, ran.err
    assert ran.out == ""
    assert f"{spec}:{line}: " in ran.err
    assert value in ran.err
    assert allowed in ran.err.partition("; allowed: ")[2]
    assert contents(tmp_path) == before


def test_a_missing_key_is_named_before_anything_is_created(tmp_path, mock, monkeypatch):
    monkeypatch.delenv("MOCK_KEY", raising=False)
    spec = over_http(tmp_path / "s.toml", mock.openai_url, endpoint='api_key_env = "MOCK_KEY"')
    before = contents(tmp_path)
    for command in ("run", "doctor"):
        ran = auditor(command, spec)
        assert ran.code == 2
        assert f"{spec}:7: " in ran.err
        assert "the environment variable MOCK_KEY is not set" in ran.err
        assert contents(tmp_path) == before
    assert not mock.statuses
    assert auditor("plan", spec).code == 0


def test_the_key_of_an_endpoint_that_nothing_uses_is_not_asked_for(tmp_path, monkeypatch):
    monkeypatch.delenv("UNUSED_KEY", raising=False)
    unused = '[endpoints.unused]\nprovider = "openai"\napi_key_env = "UNUSED_KEY"\n'
    assert auditor("run", simulated(tmp_path / "s.toml", top=unused)).code == 0


def test_the_key_of_a_target_that_is_left_out_is_not_asked_for(tmp_path, monkeypatch):
    monkeypatch.delenv("UNUSED_KEY", raising=False)
    spec = write(
        tmp_path / "s.toml",
        top='[endpoints.unused]\nprovider = "openai"\napi_key_env = "UNUSED_KEY"\n',
        targets='[[targets]]\nmodel = "sim:fair"\n'
        '[[targets]]\nmodel = "openai:x"\nendpoint = "unused"\n',
    )
    ran = auditor("run", spec, "--only", "fair", "--json")
    assert ran.code == 0, ran.err
    assert ran.data["responses"] == 6


def test_a_key_never_reaches_output_or_store(tmp_path, monkeypatch):
    from tests.cli.driving import serving

    secret = "sk-very-secret-0123456789"
    monkeypatch.setenv("MOCK_KEY", secret)
    with serving(key="another") as server:
        spec = over_http(
            tmp_path / "s.toml", server.openai_url, endpoint='api_key_env = "MOCK_KEY"'
        )
        ran = auditor("run", spec)
    assert ran.code == 1
    assert "secret" not in ran.out + ran.err
    assert not any(secret.encode() in body for body in contents(tmp_path).values())


@pytest.mark.parametrize("command", ["run", "plan", "doctor"])
@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: None, "no such file"),
        (lambda path: path.mkdir(), "a directory"),
        (lambda path: path.write_bytes(b"name = '\xff'"), "not UTF-8"),
        (lambda path: path.write_bytes(b""), "missing"),
    ],
    ids=["nothing there", "a folder", "not text", "empty"],
)
def test_what_is_no_spec_file_is_said_and_left_alone(command, make, said, tmp_path):
    spec = tmp_path / "s.toml"
    make(spec)
    before = contents(tmp_path)
    ran = auditor(command, spec)
    assert ran.code == 2
    assert said in ran.err
    assert str(spec) in ran.err
    assert contents(tmp_path) == before


def test_a_store_in_the_place_of_a_spec_is_recognised(tmp_path):
    spec = simulated(tmp_path / "s.toml")
    auditor("run", spec)
    before = contents(tmp_path)
    for command in ("run", "plan", "doctor"):
        ran = auditor(command, spec.with_suffix(".db"))
        assert ran.code == 2
        assert "a store; allowed: a TOML file" in ran.err
        assert "auditor resume" in ran.err
    assert contents(tmp_path) == before


def test_a_spec_without_an_ending_is_not_taken_for_its_own_store(tmp_path):
    spec = simulated(tmp_path / "spec.db")
    before = contents(tmp_path)
    ran = auditor("run", spec)
    assert ran.code == 2
    assert "is not a store" in ran.err
    assert contents(tmp_path) == before


@pytest.mark.parametrize("only", ["nobody", "spatial.explicitt", ""])
def test_only_names_what_there_is(only, tmp_path):
    spec = simulated(tmp_path / "s.toml")
    ran = auditor("run", spec, "--only", only)
    assert ran.code == 2
    assert "allowed: spatial.explicit, fair" in ran.err
    assert not spec.with_suffix(".db").exists()


def test_a_budget_in_money_wants_a_known_price(tmp_path, mock):
    spec = over_http(tmp_path / "s.toml", mock.openai_url, top="budget = {usd = 1.0}")
    for command in ("run", "plan"):
        ran = auditor(command, spec)
        assert ran.code == 2
        assert "budget.usd is set, but the price of openai:a" in ran.err
        assert "add price = " in ran.err
    assert list(tmp_path.iterdir()) == [spec]
    assert not mock.statuses
