"""Keys and logins that are planted wherever one may be: found nowhere afterwards."""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.cli.driving import auditor, over_http, serving
from tests.mock_server import Quirk, Raw, openai_error, raw_json

KEY = "sk-planted/7Qx93kf+Lw0Zt"
LOGIN = "hunter2-planted-pw"
QUERY = "q-planted-token-55"
PROXY = "proxy-planted-pw"
JUDGE_KEY = "command-planted-secret-81"

_SPELLINGS = (
    KEY,
    json.dumps(KEY).replace("/", r"\/"),
    quote(KEY, safe=""),
    html.escape(KEY),
    f"Bearer {KEY}",
    f"https://user:{LOGIN}@host/?api_key={QUERY}",
    base64.b64encode(f"user:{KEY}".encode()).decode(),
)
_SAID = " ".join(_SPELLINGS)


def _of_trial(body, wire):
    """Every kind of answer that gives a key back, by what is asked."""
    space = next((each for each in ("kitchen", "garage", "mall") if each in json.dumps(body)), "")
    return {
        "kitchen": openai_error(400, _SAID, code=KEY),
        "garage": Raw(status=400, content=f"<html><title>{_SAID}</title></html>".encode()),
        "mall": raw_json(400, {"detail": [{"loc": ["body", KEY], "msg": _SAID}]}),
    }.get(space)


JUDGE = """#!/usr/bin/env python3
import json, os, sys
print(f"key {os.environ['JUDGE_API_KEY']}", file=sys.stderr)
for line in sys.stdin:
    asked, key = json.loads(line), os.environ["JUDGE_API_KEY"]
    said = [{"error": f"failed with {key}"}, {"valid": False, "reason": f"no {key}"},
            {"value": key}, {"value": "men", "reason": key}][len(asked["text"]) % 4]
    print(json.dumps({"id": asked["id"], **said}), flush=True)
"""


@pytest.fixture(scope="module")
def environment():
    """Keys in the environment of all commands."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLANTED_KEY", KEY)
        patch.setenv("JUDGE_API_KEY", JUDGE_KEY)
        patch.setenv("OPENAI_API_KEY", KEY)
        patch.setenv("HTTPS_PROXY", f"http://me:{PROXY}@127.0.0.1:9")
        yield


@pytest.fixture(scope="module")
def stores(environment, tmp_path_factory):
    """A run whose server gives every key back, and one that ends well; all that was said."""
    folder = tmp_path_factory.mktemp("secrets")
    judge = folder / "judge.py"
    judge.write_text(JUDGE)
    judge.chmod(0o755)
    judges = 'judges = [{task = "choice", name = "mine", command = ["./judge.py"]}]'
    ran = []
    with serving(key=KEY, profile=Quirk(respond=_of_trial)) as server:
        spec = over_http(
            folder / "failing.toml",
            server.openai_url,
            top=judges,
            endpoint="api_key_env = 'PLANTED_KEY'",
        )
        ran += [auditor("run", spec, "--no-probe"), auditor("run", spec, "--json")]
        ran += [auditor("doctor", spec, "--json")]
    with serving(key=KEY) as server:
        url = server.openai_url
        spec = over_http(
            folder / "well.toml", url, top=judges, endpoint="api_key_env = 'PLANTED_KEY'"
        )
        ran += [auditor("run", spec), auditor("plan", spec, "--json")]
        # A base URL that holds one is refused before anything is made of it.
        holding_one = (url.replace("//", f"//user:{LOGIN}@"), f"{url}?api_key={QUERY}")
        for place, holding in enumerate(holding_one):
            refused = over_http(folder / f"refused-{place}.toml", holding)
            ran += [auditor(word, refused) for word in ("run", "plan", "doctor")]
    return folder, ran


def _found(text: str) -> str | None:
    """A secret in a text, in any spelling, with what is around it."""
    for secret in (KEY, LOGIN, QUERY, PROXY, JUDGE_KEY):
        for spelling in {secret, quote(secret, safe=""), html.escape(secret), secret[:-6]}:
            place = text.find(spelling)
            if place >= 0:
                return text[max(0, place - 60) : place + 60]
        for before in ("", "user:", "u:", "me:"):
            coded = base64.b64encode(f"{before}{secret}".encode()).decode()[4:-8]
            if coded in text:
                return f"base64 of {before}{secret}"
    return None


def test_the_secrets_were_really_given_back(stores):
    folder, _ = stores
    assert {path.name for path in folder.glob("*.db")} >= {"failing.db", "well.db"}
    assert "[hidden]" in auditor("status", folder / "failing.db").out + _raw(folder / "failing.db")


def test_nothing_that_was_said_holds_one(stores):
    _, ran = stores
    for each in ran:
        assert _found(each.out + each.err) is None


def test_no_byte_of_a_store_holds_one(stores):
    folder, _ = stores
    specs = {*folder.glob("*.toml"), folder / "judge.py"}
    kept = [path for path in folder.iterdir() if path not in specs]
    assert kept
    for path in kept:
        found = _found(_raw(path))
        assert found is None, f"{path.name}: {found}"


def _raw(path: Path) -> str:
    return path.read_bytes().decode("latin-1")


def test_no_file_and_no_view_made_of_a_store_holds_one(stores, tmp_path):
    folder, _ = stores
    for name in ("failing", "well"):
        store = folder / f"{name}.db"
        for command in (
            *(["status"], ["status", "--json"], ["stats", "--json"], ["watch"], ["verify"]),
            *(["show", "-n", "20"], ["show", "-n", "20", "--json"]),
            ["export", "-o", tmp_path / name / "x", "--format", "csv"],
            ["export", "-o", tmp_path / name / "y", "--format", "jsonl"],
            ["sample", "--task", "choice", "-o", tmp_path / name / "z"],
        ):
            ran = auditor(command[0], store, *command[1:])
            assert _found(ran.out + ran.err) is None, command
            assert "unexpected" not in ran.err
    made = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(made) > 10
    for path in made:
        assert _found(_raw(path)) is None, path.name
