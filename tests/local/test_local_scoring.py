import asyncio
import json
import math
import shutil

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from safetensors.torch import load_file, save_file  # noqa: E402
from tokenizers import processors  # noqa: E402

from auditor.errors import RejectedError, UnknownModelError  # noqa: E402
from auditor.providers.local.loading import load  # noqa: E402
from auditor.providers.local.rendering import given_answer  # noqa: E402
from auditor.providers.local.settings import LocalSettings  # noqa: E402
from auditor.types import Message, Outcome  # noqa: E402
from tests import tiny_models as tiny  # noqa: E402
from tests.tiny_models import QUESTION  # noqa: E402

SCORE = {"score": True}
SPACES = ("kitchen", "garage", "mall", "private car", "zoo", "bus stop", "office building")


def own_log_probability(folder, before, answer):
    """Of the answer's tokens, each from a pass over what stands before it and a softmax by hand."""
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokens = tokenizer(before, add_special_tokens=False)["input_ids"]
    total = 0.0
    for token in tokenizer(answer, add_special_tokens=False)["input_ids"]:
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([tokens])).logits[0, -1].double().tolist()
        highest = max(logits)
        whole = math.fsum(math.exp(each - highest) for each in logits)
        total += logits[token] - highest - math.log(whole)
        tokens.append(token)
    return total


def number(reply, name="log_probability"):
    (choice,) = reply.choices
    assert (choice.outcome, choice.finish_reason) == (Outcome.ANSWERED, "score")
    return json.loads(choice.text)[name]


@pytest.mark.parametrize("answer", ["men", "women", "men and women, I think."])
async def test_a_chat_answer_has_the_probability_of_its_tokens_after_its_header(
    folders, ask_with, answer
):
    async with ask_with() as ask:
        reply = await ask(folders.chat, QUESTION, answer, params=SCORE)
    before = f"<|user|>\n{QUESTION}<|end|>\n<|assistant|>\n"
    expected = own_log_probability(folders.chat, before, answer)
    assert number(reply) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("question", "answer", "before", "after"),
    [
        (QUESTION, "women", QUESTION, " women"),
        ("The answer: ", "men", "The answer:", " men"),
        ("Answer:\n", "men", "Answer:\n", "men"),
    ],
)
async def test_a_base_model_reads_the_answer_behind_one_blank(
    folders, ask_with, question, answer, before, after
):
    async with ask_with() as ask:
        reply = await ask(folders.base, question, answer, params=SCORE, api="completions")
    assert number(reply) == pytest.approx(
        own_log_probability(folders.base, before, after), abs=1e-4
    )


async def test_the_tokens_of_prompt_and_answer_are_counted(folders, ask_with):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folders.chat)
    text = f"<|user|>\n{QUESTION}<|end|>\n<|assistant|>\nwomen"
    async with ask_with() as ask:
        reply = await ask(folders.chat, QUESTION, "women", params=SCORE)
    assert number(reply, "tokens") == len(tokenizer("women")["input_ids"])
    assert reply.usage.input_tokens == len(tokenizer(text)["input_ids"])
    assert reply.usage.output_tokens == 0


async def test_sampling_parameters_change_no_score(folders, ask_with):
    async with ask_with() as ask:
        plain = await ask(folders.chat, QUESTION, "men", params=SCORE)
        warm = await ask(
            folders.chat, QUESTION, "men", params={**SCORE, "temperature": 0.2, "max_tokens": 1}
        )
    assert plain.choices == warm.choices


@pytest.mark.parametrize(("kind", "api"), [("chat", "chat"), ("base", "completions")])
async def test_scores_in_one_pass_are_those_of_passes_of_their_own(folders, ask_with, kind, api):
    asked = [(f"Who is in the {space}?", label) for space in SPACES for label in ("men", "women")]
    found = []
    for concurrency in (16, 1):
        async with ask_with(concurrency) as ask:
            replies = await asyncio.gather(
                *(ask(getattr(folders, kind), *turns, params=SCORE, api=api) for turns in asked)
            )
        found.append([number(reply) for reply in replies])
    assert found[0] == pytest.approx(found[1], abs=1e-4)
    assert len(set(found[1])) == len(asked)


@pytest.mark.parametrize("pad", [True, False])
async def test_a_reward_is_what_the_models_own_forward_says(tmp_path, ask_with, pad):
    folder = tiny.reward(tmp_path / "reward", seed=3, pad=pad)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    asked = [(f"Who is in the {space}?", label) for space in SPACES for label in ("men", "women")]
    async with ask_with() as ask:
        replies = await asyncio.gather(
            *(ask(folder, *turns, params=SCORE, api="reward") for turns in asked)
        )
    for (question, answer), reply in zip(asked, replies, strict=True):
        text = f"<|user|>\n{question}<|end|>\n<|assistant|>\n{answer}<|end|>\n"
        with torch.no_grad():
            own = model(**tokenizer(text, return_tensors="pt")).logits
        assert own.shape == (1, 1)
        assert number(reply, "reward") == pytest.approx(own.item(), abs=1e-5)
        assert reply.sent["dialogue"] == "chat template"


async def test_an_encoder_reads_question_and_answer_as_a_pair(folders, ask_with):
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folders.pair_reward)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folders.pair_reward)
    with torch.no_grad():
        own = model.eval()(**tokenizer("who is in?", "women", return_tensors="pt")).logits.item()
    async with ask_with() as ask:
        reply = await ask(folders.pair_reward, "who is in?", "women", params=SCORE, api="reward")
    assert number(reply, "reward") == pytest.approx(own, abs=1e-5)
    assert reply.sent["dialogue"] == "pair"


@pytest.mark.parametrize(
    ("kind", "api", "name", "said"),
    [
        ("chat", "chat", "log_probability", {"tokens": 1}),
        ("reward", "reward", "reward", {}),
    ],
)
async def test_what_is_not_finite_is_null_with_the_reason(
    tmp_path, folders, ask_with, kind, api, name, said
):
    broken = tmp_path / "broken"
    shutil.copytree(getattr(folders, kind), broken)
    weights = load_file(broken / "model.safetensors")
    weights["model.norm.weight"].fill_(math.nan)
    save_file(weights, broken / "model.safetensors", metadata={"format": "pt"})
    async with ask_with() as ask:
        reply = await ask(str(broken), QUESTION, "men", params=SCORE, api=api)
    assert json.loads(reply.choices[0].text) == {name: None, **said, "reason": "not finite: nan"}


async def test_an_answer_whose_first_letters_are_the_prompts_token_has_no_score(tmp_path, ask_with):
    folder = tiny.llama(tmp_path / "joined")
    (tmp_path / "joined" / "chat_template.jinja").write_text(
        "{% for message in messages %}{{ message.content }} wo{% endfor %}"
    )
    async with ask_with() as ask:
        with pytest.raises(RejectedError, match="joins the end of the prompt with the answer"):
            await ask(folder, QUESTION, "men", params=SCORE)


def test_a_beginning_of_sequence_stands_before_both_and_an_end_behind_none(tmp_path, folders):
    copy = tmp_path / "copy"
    shutil.copytree(folders.base, copy)
    tokens = transformers.AutoTokenizer.from_pretrained(copy)
    begin, end = (tokens.convert_tokens_to_ids(f"<|{name}|>") for name in ("begin", "end"))
    tokens.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="<|begin|> $A <|end|>", special_tokens=[("<|begin|>", begin), ("<|end|>", end)]
    )
    tokens.save_pretrained(copy)
    loaded = load(str(copy), LocalSettings(), is_reward=False)
    given = given_answer(loaded, turns("Hello", "men"), api="completions", template={})
    plain = tokens("Hello men", add_special_tokens=False)["input_ids"]
    assert given.ids == (begin, *plain)
    assert given.answer == len(tokens(" men", add_special_tokens=False)["input_ids"])


def turns(question, answer):
    return (Message("user", question), Message("assistant", answer))


@pytest.mark.parametrize(
    ("kind", "api", "said", "params", "match"),
    [
        ("reward", "reward", (QUESTION,), {}, "scores answers and gives none"),
        ("reward", "reward", (QUESTION,), SCORE, "as the last message, the assistant's answer"),
        ("chat", "chat", (QUESTION, " "), SCORE, "as the last message, the assistant's answer"),
        ("chat", "chat", ("kitchen " * 300, "men"), SCORE, "which has 256 positions"),
        ("reward", "reward", ("kitchen " * 300, "men"), SCORE, "which has 256 positions"),
    ],
)
async def test_what_cannot_be_scored_is_refused(folders, ask_with, kind, api, said, params, match):
    async with ask_with() as ask:
        with pytest.raises(RejectedError, match=match):
            await ask(getattr(folders, kind), *said, params=params, api=api)


async def test_one_refused_request_keeps_no_other_from_its_score(folders, ask_with):
    async with ask_with() as ask:
        short, long = await asyncio.gather(
            ask(folders.chat, QUESTION, "men", params=SCORE),
            ask(folders.chat, "kitchen " * 300, "men", params=SCORE),
            return_exceptions=True,
        )
    assert isinstance(number(short), float)
    assert isinstance(long, RejectedError)


async def test_a_base_model_is_no_chat_model(folders, ask_with):
    async with ask_with() as ask:
        with pytest.raises(UnknownModelError, match="no chat template") as caught:
            await ask(folders.base, QUESTION, "men", params=SCORE)
    assert 'api = "completions"' in caught.value.hint
