import asyncio
import math
import shutil
from collections import Counter

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from auditor.errors import RejectedError  # noqa: E402
from auditor.providers.local.sampling import NextTokens, Sampling, Writing  # noqa: E402
from auditor.types import Outcome  # noqa: E402
from tests.tiny_models import QUESTION, TEMPLATE  # noqa: E402

GREEDY = {"temperature": 0, "max_tokens": 12}
SPACES = ("kitchen", "garage", "mall", "private car", "zoo", "bus stop", "office building")


def trial(number):
    return number.to_bytes(16, "big")


def likeliest(folder, prompt, count):
    """The tokens that a loop of arg max gives, each from a pass of its own, with log-softmaxes."""
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokens = tokenizer(prompt, add_special_tokens=False)["input_ids"]
    found, logs = [], []
    for _ in range(count):
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([tokens])).logits[0, -1].double()
        token = int(logits.argmax())
        if token == tokenizer.eos_token_id:
            break
        logs.append(logits - logits.exp().sum().log())
        found.append(token)
        tokens.append(token)
    return tokenizer, found, logs


@pytest.mark.parametrize(("kind", "api"), [("chat", "chat"), ("base", "completions")])
async def test_at_temperature_0_every_token_is_the_likeliest(folders, ask_with, kind, api):
    folder = getattr(folders, kind)
    prompt = QUESTION if api == "completions" else f"<|user|>\n{QUESTION}<|end|>\n<|assistant|>\n"
    tokenizer, tokens, _ = likeliest(folder, prompt, 12)
    async with ask_with() as ask:
        reply = await ask(folder, QUESTION, params=GREEDY, api=api)
    (choice,) = reply.choices
    assert choice.text == tokenizer.decode(tokens, skip_special_tokens=True)
    assert choice.outcome is (Outcome.TRUNCATED if len(tokens) == 12 else Outcome.ANSWERED)
    assert reply.usage.output_tokens == len(tokens)
    assert reply.usage.input_tokens == len(tokenizer(prompt)["input_ids"])
    assert reply.sent == {**GREEDY, "device": "cpu", "dtype": "float32"}


async def test_log_probabilities_are_those_of_the_models_softmax(folders, ask_with):
    tokenizer, tokens, logs = likeliest(folders.base, QUESTION, 4)
    asked = {"temperature": 0, "max_tokens": 4, "logprobs": True, "top_logprobs": 5}
    async with ask_with() as ask:
        reply = await ask(folders.base, QUESTION, params=asked, api="completions")
    content = reply.choices[0].logprobs["content"]
    assert len(content) == len(tokens)
    for place, token, own in zip(content, tokens, logs, strict=True):
        assert place["logprob"] == pytest.approx(float(own[token]), abs=1e-4)
        values, best = own.topk(5)
        tops = place["top_logprobs"]
        assert [each["logprob"] for each in tops] == pytest.approx(values.tolist(), abs=1e-4)
        assert [each["token"] for each in tops] == [tokenizer.decode([each]) for each in best]


async def test_an_answer_is_its_seeds_and_its_trials_whatever_is_asked_beside_it(folders, ask_with):
    async def answers(ask, numbers):
        replies = await asyncio.gather(
            *(
                ask(folders.chat, QUESTION, params={"max_tokens": 8}, trials=(trial(number),))
                for number in numbers
            )
        )
        return {n: reply.choices[0].text for n, reply in zip(numbers, replies, strict=True)}

    async with ask_with(16) as ask:
        together = await answers(ask, range(8))
    async with ask_with(1) as ask:
        alone = await answers(ask, (7, 3))
    async with ask_with(16, seed=2) as ask:
        otherwise = await answers(ask, range(8))
    assert {number: together[number] for number in alone} == alone
    assert len(set(together.values())) == 8
    assert not set(together.values()) & set(otherwise.values())


async def test_a_requests_own_seed_decides_alone(folders, ask_with):
    params = {"max_tokens": 8, "seed": 5}
    async with ask_with() as ask:
        first = await ask(folders.chat, QUESTION, params=params, trials=(trial(1),))
        second = await ask(folders.chat, QUESTION, params=params, trials=(trial(2),))
        third = await ask(folders.chat, QUESTION, params={**params, "seed": 6}, trials=(trial(1),))
    assert first.choices == second.choices
    assert first.choices != third.choices
    assert first.sent["seed"] == 5


async def test_choices_of_one_request_are_the_answers_of_their_trials(folders, ask_with):
    params = {"max_tokens": 8}
    async with ask_with() as ask:
        both = await ask(
            folders.chat, QUESTION, params=params, choices=2, trials=(trial(1), trial(2))
        )
        second = await ask(folders.chat, QUESTION, params=params, trials=(trial(2),))
    assert len(both.choices) == 2
    assert both.choices[1].text == second.choices[0].text
    assert both.usage.output_tokens == 16
    assert both.sent["n"] == 2


async def test_prompts_of_many_lengths_are_answered_as_alone(folders, ask_with):
    found = []
    for concurrency in (16, 1):
        async with ask_with(concurrency) as ask:
            replies = await asyncio.gather(
                *(ask(folders.chat, f"Who is in the {space}?", params=GREEDY) for space in SPACES)
            )
        found.append([reply.choices[0].text for reply in replies])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("behind", "is_thought"), [("<think>\n", True), ("<think>\n\n</think>\n\n", False)]
)
async def test_where_a_template_opens_the_thinking_what_follows_is_no_answer(
    tmp_path, folders, ask_with, behind, is_thought
):
    copy = tmp_path / "copy"
    shutil.copytree(folders.chat, copy)
    (copy / "chat_template.jinja").write_text(TEMPLATE.replace("<|assistant|>\n", behind))
    async with ask_with() as ask:
        reply = await ask(str(copy), QUESTION, params=GREEDY)
    (choice,) = reply.choices
    assert reply.usage.output_tokens
    assert (choice.text is None, choice.reasoning is not None) == (is_thought, is_thought)
    assert (choice.outcome is Outcome.EMPTY) is is_thought


async def test_an_answer_ends_before_a_stop_text(folders, ask_with):
    asked = {"temperature": 0, "max_tokens": 12, "logprobs": True}
    async with ask_with() as ask:
        whole = await ask(folders.base, QUESTION, params=asked, api="completions")
        text = whole.choices[0].text
        stop = text[3:5]
        cut = await ask(
            folders.base, QUESTION, params={**asked, "stop": [stop, "\x00"]}, api="completions"
        )
    (choice,) = cut.choices
    assert choice.text == text[: text.index(stop)]
    assert (choice.outcome, choice.finish_reason) == (Outcome.ANSWERED, "stop")
    said = "".join(place["token"] for place in choice.logprobs["content"])
    assert said.startswith(choice.text)
    assert cut.usage.output_tokens < 12


async def test_an_answer_has_no_more_tokens_than_the_model_has_room_for(folders, ask_with):
    prompt = " kitchen" * 250
    async with ask_with() as ask:
        reply = await ask(folders.base, prompt, params={"max_tokens": 100}, api="completions")
        with pytest.raises(RejectedError, match=r"257 tokens are asked of .* 256 positions"):
            await ask(folders.base, " kitchen" * 256, params={}, api="completions")
    assert reply.usage.input_tokens + reply.usage.output_tokens <= 256
    assert reply.choices[0].outcome is Outcome.TRUNCATED


@pytest.mark.parametrize(
    ("fields", "match"),
    [
        ({"params": {"reasoning_effort": "low"}}, "reasoning_effort is no parameter"),
        ({"params": {"top_logprobs": 101}}, "allowed: up to 100"),
        ({"extra_body": {"device": "gpu"}}, "device is no setting"),
        ({"extra_body": {"trust_remote_code": True}}, "trust_remote_code is no setting"),
        ({"schema": {"type": "object"}, "schema_way": "native"}, "no schema in the way 'native'"),
    ],
)
async def test_what_a_local_model_does_not_take_is_refused(folders, ask_with, fields, match):
    async with ask_with() as ask:
        with pytest.raises(RejectedError, match=match):
            await ask(folders.chat, QUESTION, **fields)


async def test_a_schema_is_asked_for_in_words(folders, ask_with):
    asked = {"params": {"max_tokens": 1}}
    async with ask_with() as ask:
        plain = await ask(folders.chat, "Is water wet?", **asked)
        worded = await ask(folders.chat, "Is water wet?", schema={"type": "object"}, **asked)
    assert worded.usage.input_tokens > plain.usage.input_tokens


async def test_dtype_is_as_asked(folders, ask_with):
    async with ask_with() as ask:
        reply = await ask(
            folders.chat, QUESTION, params={"max_tokens": 1}, extra_body={"dtype": "bfloat16"}
        )
    assert reply.sent["dtype"] == "bfloat16"


# How the next token is drawn, from logits that are written down here.

SHARES = (0.5, 0.25, 0.15, 0.1)
DRAWS = 2000


def drawn(logits, count=DRAWS, ends=frozenset(), has_stopped=lambda writing: False, **asked):
    sampling = Sampling(max_tokens=1, **asked)
    writings = [
        Writing(sampling=sampling, seed=seed, cap=1, is_dropped=lambda: False)
        for seed in range(count)
    ]
    chooser = NextTokens(writings, ends=ends, has_stopped=has_stopped)
    left = chooser(None, torch.tensor([logits] * count))
    assert left.isfinite().sum(dim=1).tolist() == [1] * count
    return writings


def tokens_of(writings):
    return Counter(writing.tokens[0] for writing in writings)


@pytest.mark.parametrize(
    ("asked", "shares"),
    [
        ({}, SHARES),
        ({"temperature": 0.5}, [share**2 / 0.345 for share in SHARES]),
        ({"top_k": 2}, (2 / 3, 1 / 3, 0, 0)),
        ({"top_p": 0.6}, (2 / 3, 1 / 3, 0, 0)),
        ({"top_p": 0.5}, (1, 0, 0, 0)),
        ({"temperature": 0}, (1, 0, 0, 0)),
    ],
)
def test_tokens_are_drawn_with_their_probabilities(asked, shares):
    found = tokens_of(drawn([math.log(share) for share in SHARES], **asked))
    for token, share in enumerate(shares):
        # Five standard errors of a binomial share.
        room = 5 * math.sqrt(DRAWS * share * (1 - share))
        assert abs(found[token] - DRAWS * share) <= room


def test_penalties_are_taken_off_tokens_that_were_said():
    writing = Writing(
        sampling=Sampling(temperature=0, presence_penalty=1.0, frequency_penalty=0.5),
        seed=1,
        cap=4,
        is_dropped=lambda: False,
    )
    chooser = NextTokens([writing], ends=frozenset(), has_stopped=lambda writing: False)
    for _ in range(4):
        chooser(None, torch.tensor([[2.0, 1.0, 0.0]]))
    # 2 | 0.5, 1 | 0.5, -0.5, 0 | 0, -0.5, 0 after a second time: token 0 at 2 - 1 - 2 * 0.5.
    assert writing.tokens == [0, 1, 0, 0]


def test_a_token_that_ends_is_no_part_of_the_answer():
    (writing,) = drawn([0.0, 9.0], count=1, ends=frozenset({1}), temperature=0)
    assert (writing.tokens, writing.finish) == ([], "stop")


@pytest.mark.parametrize("broken", [[math.nan, 0.0], [-math.inf, -math.inf], [math.inf, 0.0]])
def test_numbers_that_are_none_end_an_answer(broken):
    (writing,) = drawn(broken, count=1)
    assert (writing.tokens, writing.finish) == ([], "broken")
