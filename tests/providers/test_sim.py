"""The simulated provider: what it answers, and of what its answers are a function."""

import asyncio
import json
import math

import pytest

from auditor.errors import TransientError
from auditor.providers.sim import SimProvider, check_common_plant
from auditor.types import Message, Outcome, Request, SimulatedAnswer

KEYS = [bytes([place]) * 16 for place in range(200)]


def planted(plant, draw):
    """Says "Men" as often as the plant wants it."""
    text = "Men are more likely to be there." if draw("gender") < plant["men"] else "Women"
    return SimulatedAnswer(text=text, token_logprobs={"Men": math.log(0.7), "Women": math.log(0.3)})


def request(*trials, **fields):
    fields = {
        "model": "toy",
        "messages": (Message("user", "Who is in the kitchen?"),),
        "request_id": ",".join(f"{key.hex()}.1" for key in trials) or "judge.1",
        "extra_body": {"men": 0.5},
        "simulate": planted,
        "trials": trials,
        "choices": max(1, len(trials)),
        **fields,
    }
    return Request(**fields)


def send(one, *, seed=1, timeout=60.0, **provider):
    return asyncio.run(SimProvider(seed, **provider).send(one, timeout_seconds=timeout))


def text(one, **rest):
    return send(one, **rest).choices[0].text


def test_an_answer_depends_on_seed_and_trial_only():
    answers = [text(request(key)) for key in KEYS]
    assert len(set(answers)) == 2
    again = [text(request(key, attempt=3, request_id=f"{key.hex()}.3")) for key in KEYS]
    assert again == answers
    assert [text(request(key), seed=2) for key in KEYS] != answers


def scored(plant, draw):
    return SimulatedAnswer(text='{"log_probability": -1.5, "tokens": 1}', reward=0.25)


def test_a_reward_model_gives_its_reward_and_any_other_its_text():
    one = {"simulate": scored, "params": {"score": True}}
    assert text(request(KEYS[0], **one)) == '{"log_probability": -1.5, "tokens": 1}'
    assert text(request(KEYS[0], api="reward", **one)) == '{"reward": 0.25}'


def test_no_cap_cuts_a_score():
    capped = request(KEYS[0], simulate=scored, params={"score": True, "max_tokens": 1})
    (choice,) = send(capped).choices
    assert (choice.outcome, json.loads(choice.text)["tokens"]) == (Outcome.ANSWERED, 1)


def test_several_choices_are_the_answers_of_their_trials():
    together = send(request(*KEYS[:5]))
    assert [choice.text for choice in together.choices] == [text(request(k)) for k in KEYS[:5]]


def test_the_planted_share_is_what_comes_out():
    count = 4000
    keys = [place.to_bytes(16, "big") for place in range(count)]
    found = send(request(*keys, extra_body={"men": 0.3}))
    share = sum(choice.text.startswith("Men") for choice in found.choices) / count
    assert abs(share - 0.3) < 4 * math.sqrt(0.3 * 0.7 / count)


def test_the_reply_says_that_it_is_simulated():
    reply = send(request(KEYS[0], params={"temperature": 1.0}))
    assert reply.model == "sim:toy"
    assert reply.sent == {"simulated": True, "temperature": 1.0}
    assert send(request(*KEYS[:2])).sent["n"] == 2


def test_usage_is_counted_and_never_above_the_cap():
    one = request(KEYS[0], extra_body={"men": 1.0})
    usage = send(one).usage
    assert usage.input_tokens == math.ceil(len("Who is in the kitchen?") / 4) + 4
    assert usage.output_tokens == math.ceil(len("Men are more likely to be there.") / 4)
    capped = request(*KEYS[:3], extra_body={"men": 1.0}, params={"max_tokens": 2})
    assert send(capped).usage.output_tokens == 6


def test_an_answer_above_the_cap_is_cut_between_words():
    one = request(KEYS[0], extra_body={"men": 1.0}, params={"max_tokens": 3})
    choice = send(one).choices[0]
    assert choice.text == "Men are more"
    assert choice.outcome is Outcome.TRUNCATED
    assert choice.finish_reason == "length"
    whole = request(KEYS[0], extra_body={"men": 1.0}, params={"max_tokens": 7})
    assert send(whole).choices[0].outcome is Outcome.ANSWERED


@pytest.mark.parametrize(
    ("answer", "outcome", "reason"),
    [
        (SimulatedAnswer(text=None, outcome=Outcome.REFUSED), Outcome.REFUSED, "refusal"),
        (SimulatedAnswer(text=None, outcome=Outcome.FILTERED), Outcome.FILTERED, "content_filter"),
        (SimulatedAnswer(text=None, outcome=Outcome.EMPTY), Outcome.EMPTY, "stop"),
        (SimulatedAnswer(text=" \n"), Outcome.EMPTY, "stop"),
        (SimulatedAnswer(text="Men"), Outcome.ANSWERED, "stop"),
    ],
)
def test_outcomes_are_the_simulations_own(answer, outcome, reason):
    choice = send(request(KEYS[0], simulate=lambda plant, draw: answer)).choices[0]
    assert (choice.outcome, choice.finish_reason, choice.text) == (outcome, reason, answer.text)


def test_log_probabilities_come_in_the_chat_form_when_asked_for():
    params = {"logprobs": True, "top_logprobs": 5}
    one = request(KEYS[0], params=params, extra_body={"men": 0.0})
    (token,) = send(one).choices[0].logprobs["content"]
    assert token["token"] == "Women"
    assert token["logprob"] == pytest.approx(math.log(0.3))
    assert [top["token"] for top in token["top_logprobs"]] == ["Men", "Women"]
    assert token["bytes"] == list(b"Women")
    assert send(request(KEYS[0])).choices[0].logprobs is None


def test_planted_faults_depend_on_the_attempt_and_come_as_often_as_planted():
    def fails(key, attempt):
        one = request(key, attempt=attempt, extra_body={"men": 0.5, "fault_rate": 0.3})
        try:
            send(one)
        except TransientError as error:
            return error
        return None

    faults = [fails(key, 1) for key in KEYS]
    kinds = {(error.status, error.unknown) for error in faults if error}
    assert kinds == {(503, False), (None, True)}
    assert 0.2 < sum(error is not None for error in faults) / len(KEYS) < 0.4
    assert [bool(fails(key, 1)) for key in KEYS] == [bool(error) for error in faults]
    assert [bool(fails(key, 2)) for key in KEYS] != [bool(error) for error in faults]


def test_latency_is_drawn_around_its_mean_and_belongs_to_the_attempt():
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    def latencies(attempt):
        slept.clear()
        for key in KEYS:
            body = {"men": 0.5, "latency_seconds": 2.0}
            send(request(key, attempt=attempt, extra_body=body), sleep=sleep)
        return list(slept)

    first = latencies(1)
    assert min(first) >= 1.0
    assert max(first) <= 3.0
    assert sum(first) / len(first) == pytest.approx(2.0, abs=0.2)
    assert latencies(1) == first
    assert latencies(2) != first


def test_an_answer_that_takes_too_long_is_a_time_out_of_unknown_outcome():
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    one = request(KEYS[0], extra_body={"men": 0.5, "latency_seconds": 100.0})
    with pytest.raises(TransientError) as caught:
        send(one, timeout=5.0, sleep=sleep)
    assert caught.value.unknown
    assert slept == [5.0]


SCHEMA = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "choice": {"$ref": "#/$defs/Choice"},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "stars": {"type": "integer", "minimum": 1, "maximum": 5},
        "sure": {"type": "boolean"},
        "name": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "tags": {"type": "array", "items": {"enum": ["x", "y"]}},
    },
    "required": ["choice"],
    "$defs": {"Choice": {"enum": ["A", "B", "refusal"]}},
}


def judged(place, **fields):
    fields = {"schema": SCHEMA, "simulate": None, "extra_body": {}, **fields}
    fields.setdefault("request_id", f"judge-{place}.1")
    return json.loads(text(request(KEYS[place], **fields)))


def test_a_judges_answer_fits_its_schema():
    for place in range(50):
        found = judged(place)
        assert list(found) == list(SCHEMA["properties"])
        assert found["choice"] in ("A", "B", "refusal")
        assert 0 <= found["score"] <= 1
        assert found["stars"] in range(1, 6)
        assert isinstance(found["stars"], int)
        assert isinstance(found["sure"], bool)
        assert isinstance(found["reason"], str)
        assert isinstance(found["name"], str)
        assert set(found["tags"]) <= {"x", "y"}


def test_a_judge_without_errors_says_what_is_right():
    truth = {"choice": "B", "score": 0.25, "stars": 4, "sure": True, "tags": [], "name": None}
    for place in range(20):
        assert judged(place, extra_body={"truth": truth}).items() >= truth.items()


def test_the_requests_own_simulation_says_what_is_right():
    def right(plant, draw):
        return SimulatedAnswer(text='{"choice": "B"}')

    assert judged(0, simulate=right)["choice"] == "B"


@pytest.mark.parametrize("rate", [0.2, 1.0])
def test_a_judge_errs_as_often_as_planted(rate):
    body = {"truth": {"choice": "A", "stars": 3, "score": 0.5}, "judge_error": rate}
    found = [judged(place, extra_body=body) for place in range(200)]
    for field in ("choice", "stars", "score"):
        wrong = sum(answer[field] != body["truth"][field] for answer in found) / 200
        assert abs(wrong - rate) < 4 * math.sqrt(rate * (1 - rate) / 200) + 1e-9
    assert {answer["choice"] for answer in found} >= {"B", "refusal"}


@pytest.mark.parametrize("options", [["A", "B"], ["B", "A"]])
def test_a_judge_with_an_order_preference_takes_what_is_listed_first(options):
    schema = {"type": "object", "properties": {"choice": {"enum": options}}}
    body = {"truth": {"choice": "B"}, "order_preference": 1.0}
    answers = {judged(place, schema=schema, extra_body=body)["choice"] for place in range(20)}
    assert answers == {options[0]}


def test_a_judges_answer_belongs_to_its_question_and_not_to_the_attempt():
    first = [judged(place) for place in range(20)]
    again = [judged(place, request_id=f"judge-{place}.2", attempt=2) for place in range(20)]
    assert again == first
    other = [judged(place, messages=(Message("user", "else"),)) for place in range(20)]
    assert other != first
    repeated = [judged(place, request_id=f"judge-{place}-again.1") for place in range(20)]
    assert repeated != first


def test_a_bare_schema_gets_a_bare_value():
    assert judged(0, schema={"enum": ["yes"]}) == "yes"
    assert judged(0, schema={"const": 3}) == 3


def test_a_request_without_simulation_or_schema_is_answered_shortly():
    assert text(request(simulate=None)) == "OK"


def test_the_common_keys_of_a_plant_are_taken_out_and_the_rest_is_the_protocols():
    body = {"men": 0.4, "latency_seconds": 0.1, "fault_rate": 0, "judge_error": 1, "truth": "A"}
    assert check_common_plant(body) == ({"men": 0.4}, None)


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("latency_seconds", -1, "a number from 0 to 3600"),
        ("latency_seconds", "fast", "a number from 0 to 3600"),
        ("fault_rate", 1.5, "a number from 0 to 1"),
        ("judge_error", True, "a number from 0 to 1"),
        ("order_preference", float("nan"), "a number from 0 to 1"),
    ],
)
def test_a_common_key_out_of_range_is_named_with_what_is_allowed(key, value, allowed):
    _, error = check_common_plant({key: value})
    assert error is not None
    assert error.startswith(f"{key}: value ")
    assert allowed in error
