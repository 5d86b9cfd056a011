"""Audits over every wire format and both clients, and what they promise about their calls."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from auditor.store.connection import connect
from tests.cli.driving import Ran
from tests.faults.audits import check_verified, command
from tests.faults.scenario import Found
from tests.mock_server import MockServer

KEY_VARIABLE, KEY = "FAULTS_KEY", "sk-planted-2Rw81mnQx0Ya"
SPACES = ("kitchen", "garage")
_SPEC = """
name = "wires"
seed = 1
judges = [{{task = "choice", judge = "rules"}}]
{parts}
[protocols."spatial.explicit"]
repetitions = {repetitions}
spaces = {spaces}
"""
_ENDPOINT = """
[endpoints."{name}"]
provider = "{provider}"
base_url = "{url}"
client = "{client}"
api_key_env = "{variable}"
{settings}
[[targets]]
name = "{name}"
model = "{provider}:{model}"
endpoint = "{name}"
api = "{api}"
variant = "{name}"
{target}
"""


@dataclass(frozen=True, kw_only=True)
class Wire:
    """A wire format through a client."""

    name: str
    provider: str
    api: str
    client: str


WIRES = (
    Wire(name="chat-http", provider="openai", api="chat", client="http"),
    Wire(name="chat-sdk", provider="openai", api="chat", client="sdk"),
    Wire(name="completions-http", provider="openai", api="completions", client="http"),
    Wire(name="messages-http", provider="anthropic", api="chat", client="http"),
    Wire(name="messages-sdk", provider="anthropic", api="chat", client="sdk"),
)
CHAT = WIRES[:1]


def part(
    wire: Wire, root: str, *, model: str = "", settings: str = "", target: str = "", name: str = ""
) -> str:
    """An endpoint and a target there. A server is as many endpoints as it has paths."""
    name = name or wire.name
    url = f"{root}/{name}" + ("" if wire.provider == "anthropic" else "/v1")
    return _ENDPOINT.format(
        name=name,
        provider=wire.provider,
        url=url,
        client=wire.client,
        variable=KEY_VARIABLE,
        settings=settings,
        model=model or name,
        api=wire.api,
        target=target,
    )


def write_parts(path: Path, parts: Iterable[str], *, repetitions: int = 2) -> Path:
    """A spec of four trials a target, where nothing else is said."""
    path.write_text(
        _SPEC.format(parts="".join(parts), repetitions=repetitions, spaces=json.dumps(list(SPACES)))
    )
    return path


def write_wires(
    path: Path,
    root: str,
    *,
    settings: str = "",
    repetitions: int = 2,
    wires: Iterable[Wire] = WIRES,
    target: str = "",
) -> Path:
    """A spec with a target for each wire format and client, all at one server."""
    parts = [part(wire, root, settings=settings, target=target) for wire in wires]
    return write_parts(path, parts, repetitions=repetitions)


def trials_of(wires: Iterable[Wire] = WIRES, repetitions: int = 2) -> int:
    return len(tuple(wires)) * len(SPACES) * repetitions


def play(*arguments: object, env: Mapping[str, str] | None = None, **options: object) -> Ran:
    """A run or a resume, with the key in its environment."""
    variables = {KEY_VARIABLE: KEY, **(env or {})}
    return command(*arguments, "--no-probe", "--json", env=variables, **options)


def calls_by_state(store: Path) -> dict[str, int]:
    """Calls that the store holds: ok, failed, unknown."""
    connection = connect(store, read_only=True)
    try:
        return dict(connection.execute("SELECT state, count(*) FROM calls GROUP BY 1").fetchall())
    finally:
        connection.close()


def check_calls(found: Found, store: Path, server: MockServer) -> None:
    """Every call that the server saw is in the store, and no other."""
    stored, seen = sum(calls_by_state(store).values()), server.received
    found.expect(stored == seen, f"{stored} calls stored, {seen} seen by the server")


def check_complete(found: Found, ran: Ran, store: Path, trials: int) -> None:
    """A run that has answered everything, once, and says so."""
    found.codes.append(ran.code)
    found.expect(ran.code == 0, f"exit code {ran.code}: {ran.err[-300:]}")
    if ran.code != 0:
        return
    data = ran.data
    found.expect(data["responses"] == trials, f"{data['responses']} of {trials} responses")
    found.expect(data["failures"] == 0, f"{data['failures']} failures")
    annotated = data["annotations"]["choice"]["done"]
    answered = sum(t["outcomes"].get("answered", 0) for t in data["targets"])
    found.expect(annotated == answered, f"{annotated} of {answered} answers are judged")
    check_verified(found, store)


def check_stopped(found: Found, ran: Ran, words: str, *, trials: int) -> None:
    """A run that could not go on: exit 1, one reason a target, nothing counted as answered."""
    found.codes.append(ran.code)
    found.expect(ran.code == 1, f"exit code {ran.code}: {ran.err[-300:]}")
    found.expect("Traceback" not in ran.err, f"a traceback: {ran.err[-300:]}")
    if ran.code != 1:
        return
    data = ran.data
    found.expect(data["responses"] == 0, f"{data['responses']} responses")
    said = f"ended with {trials} trials without a response"
    found.expect(said in ran.err, f"it does not say {said!r}: {ran.err[-300:]}")
    unsaid = [alarm for alarm in data["alarms"] if words not in alarm]
    found.expect(not unsaid and bool(data["alarms"]), f"alarms without {words!r}: {unsaid}")


def check_secret(found: Found, folder: Path, *rans: Ran, secrets: Iterable[str] = (KEY,)) -> None:
    """No secret is in what a run printed, or in any file that it left."""
    texts = [ran.out + ran.err for ran in rans]
    texts += [path.read_bytes().decode("latin-1") for path in folder.glob("*.db*")]
    for secret in secrets:
        found.expect(not any(secret in text for text in texts), "a secret has been let out")
