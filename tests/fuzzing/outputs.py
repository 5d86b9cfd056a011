# ruff: noqa: PT017 - what an error says is looked at where it is caught
"""What judges that are models, commands or outside packages say."""

from __future__ import annotations

import asyncio
import json
from functools import lru_cache
from types import SimpleNamespace
from typing import Any
from zlib import crc32

from hypothesis import strategies as st

import rubrics
from agents.judges.base import Verdict
from agents.judges.command_lines import Answered, Garbage, Hello, parse_line, request_line
from agents.judges.model import Asked, model_task, table
from agents.judges.model.exchange import Exchange
from agents.judges.model.fence import defused
from agents.judges.model.subject import Subject
from agents.judges.outside_process import _reply
from auditor.canonical import canonical_json
from auditor.endpoints import Estimate
from auditor.errors import JudgeError
from auditor.harmless import harmless
from auditor.store.sources import Source
from auditor.types import Choice, Message, Outcome, Reply, Usage
from tests.fuzzing.inputs import ANY_TEXT, JSON_TEXT, TEXT, as_bytes, mostly, mutated_json
from tests.fuzzing.judges import check_verdict
from tests.fuzzing.parser import REFUSED, TAKEN, fuzzed
from tests.fuzzing.storable import is_finite

_STORY = "Ada Byron had baked bread since she was a girl. \x1b[2J </text> [end 0] \ud800"
_SOUND: dict[str, Any] = {
    "choice": {"choice": "men"},
    "rationale": {"rationale": "association"},
    "tendency": {"tendency": "men"},
    "agency": {
        "story": "readable",
        "mentions": [{"verb": "bake", "gender": "women", "argument": "ARG0"}],
    },
    "role": {"man": "Leader", "woman": "Observer"},
    "name": {"refusal": False, "name": "Ada Byron", "quote": "Ada Byron had baked"},
    "rating": {"answer": "rating", "rating": 3.5},
}


class _Judged:
    """One task's judge, asked about one story; the far side says what the example says."""

    def __init__(self, protocol: str, task: str) -> None:
        from agents.judges.model.asking import TypedAsking

        row = model_task(protocol, task)
        materials = {path: rubrics.read(path) for path in row.materials}
        setting = "response_only" if task == "rubric" else None
        asked = Asked(provider="openai", model="judge")
        self.judge = row.open(asked, materials, setting=setting)
        self._asking = TypedAsking(self.judge, self._send)
        self._said = ""
        self.sent: list[tuple[Message, ...]] = []

    async def _send(self, exchange: Exchange, messages: tuple[Message, ...]) -> Reply:
        self.sent.append(messages)
        choice = Choice(outcome=Outcome.ANSWERED, text=self._said, finish_reason="stop")
        return Reply(choices=(choice,), usage=Usage(input_tokens=1, output_tokens=1), model="m")

    def verdicts(self, said: str) -> tuple[Verdict, ...] | None:
        """What comes of an answer that is given again at every retry; None where it has to be.

        A retry takes the library some 50 ms; one of twenty is made.
        """
        self._said = said
        self.sent = []
        source = Source(seq=1, trial_id=1, cell_id=1, text=_STORY, trial_key=b"0" * 16)
        subject = Subject(source, (source,))
        exchange = Exchange(
            subject=subject,
            questions=self.judge.questions(subject),
            name="00",
            estimate=Estimate(input_tokens=1, output_tokens=1, usd=None),
        )
        if crc32(said.encode("utf-8", "surrogatepass")) % 20:
            output = asyncio.run(self._asking._first_output(exchange))
            return None if output is None else self.judge.verdicts(output, exchange.question)
        return asyncio.run(self._asking.ask(exchange)).verdicts


def _named(protocol: str, task: str) -> None:
    opened = lru_cache(maxsize=1)(lambda: _Judged(protocol, task))
    sound = _SOUND.get(task)
    if task == "rubric":
        text = rubrics.read("grap/rubric.toml")
        from auditor.protocols.grap.rubric import parse_rubric

        keys = parse_rubric(text).dimensions
        sound = {"refusal": False, "scores": dict.fromkeys(keys, 0.5)}
    dressed = st.tuples(
        st.sampled_from(["{}", "```json\n{}\n```", "<think>so</think>{}", "Sure: {}", "{}{}"]),
        mutated_json(sound),
    ).map(lambda pair: pair[0].replace("{}", pair[1]))

    @fuzzed(f"model judge {protocol} {task}", mostly(mutated_json(sound), dressed, TEXT))
    def outcome(said: str) -> str:
        verdicts = opened().verdicts(said)
        if verdicts is None:
            return REFUSED
        assert len(verdicts) == 1
        for messages in opened().sent:
            for message in messages:
                message.content.encode("utf-8")
                # What the judge said comes back to it as its own turn alone.
                assert message.role == "assistant" or len(message.content) < 40_000
            instructions = [m for m in messages if m.role == "system"]
            assert [m.content for m in instructions] == [opened().judge.prompt.instructions]
            assert defused(_STORY) not in instructions[0].content
        return check_verdict(protocol, task, verdicts[0])


for _row in table():
    _named(_row.protocol, _row.task)

_LINES = (
    {"id": "1", "value": "Ada Byron"},
    {"id": "1", "value": None, "reason": "surname only"},
    {"id": "2", "valid": False, "reason": "not a name"},
    {"id": "2", "error": "the table could not be read"},
    {"hello": {"version": "1.2", "configuration": {"a": 1}}},
)


@fuzzed("line of a command judge", as_bytes(mostly(mutated_json(*_LINES), JSON_TEXT, TEXT)))
def command_line(line: bytes) -> str:
    """A verdict that can be stored, an error, a hello, or garbage that is said in one line."""
    try:
        said = parse_line(line)
    except Garbage as error:
        assert harmless(str(error)) == str(error)
        assert len(str(error)) < 200
        return REFUSED
    if isinstance(said, Hello):
        return TAKEN
    assert isinstance(said, Answered)
    if isinstance(said.said, JudgeError):
        assert harmless(said.said.message) == said.said.message
        return REFUSED
    return _check_outside(said.said)


def _check_outside(verdict: Verdict) -> str:
    assert verdict.reason is None or len(verdict.reason) <= 200
    if not verdict.valid:
        assert verdict.value is None
        assert verdict.reason
        return REFUSED
    assert is_finite(json.loads(canonical_json(verdict.value)))
    return TAKEN


@fuzzed("request to a command judge", st.tuples(TEXT | ANY_TEXT, JSON_TEXT))
def command_request(example: tuple[str, str]) -> str:
    """One line of ASCII, whatever is judged."""
    text, _ = example
    line = request_line("1", "stories", "name", None, text)
    assert line.count(b"\n") == 1
    assert line.isascii()
    assert json.loads(line)["text"] == text
    return TAKEN


_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT | st.binary(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(ANY_TEXT | st.integers(), inner, max_size=3)
        | st.tuples(inner, inner)
    ),
    max_leaves=5,
)
_SAID = st.one_of(
    st.builds(Verdict, _ANY, _ANY, _ANY),
    st.builds(Verdict, st.booleans(), _ANY, st.none() | ANY_TEXT),
    _ANY,
    st.builds(ValueError, ANY_TEXT),
    st.builds(SimpleNamespace),
)


@fuzzed("verdict of a plug-in", _SAID)
def plugin_verdict(said: Any) -> str:
    """Whatever a plug-in's judge returns becomes a line that is read back as a verdict."""
    line = json.dumps({"id": "1", **_reply(said)}).encode("ascii")
    read = parse_line(line)
    assert isinstance(read, Answered)
    if isinstance(read.said, JudgeError):
        return REFUSED
    return _check_outside(read.said)
