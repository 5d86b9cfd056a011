import asyncio
import json
import shutil
import threading
import weakref
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from safetensors.torch import load_file, save_file  # noqa: E402

from auditor.errors import RejectedError, UnknownModelError  # noqa: E402
from auditor.providers.local.models import LocalModels, ModelKey  # noqa: E402
from auditor.providers.local.settings import LocalSettings  # noqa: E402
from auditor.types import Choice, Outcome, Reply  # noqa: E402
from tests import tiny_models as tiny  # noqa: E402
from tests.tiny_models import QUESTION  # noqa: E402

KEY = ModelKey("m", LocalSettings(), False)
SCORE = {"score": True}


def reply(text):
    return Reply(choices=(Choice(outcome=Outcome.ANSWERED, text=text),))


class Layers(torch.nn.Module):
    """Two layers; the first one waits until it may go on."""

    def __init__(self, thread):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Identity(), torch.nn.Identity()])
        self.layers[0].register_forward_hook(lambda *_: thread.wait())
        self.passed = []
        self.layers[1].register_forward_hook(lambda *_: self.passed.append("second"))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Thread:
    """What the thread is given to do: it waits until it may, and notes what came together."""

    def __init__(self):
        self.may_go = threading.Event()
        self.is_busy = threading.Event()
        self.batches = []
        self.loads = []
        self.model = Layers(self)

    def wait(self):
        self.is_busy.set()
        assert self.may_go.wait(30)

    def load(self, name, settings, *, is_reward):
        self.loads.append(name)
        if name == "absent":
            raise UnknownModelError("there is none", hint="another")
        return SimpleNamespace(name=name, model=self.model)

    def together(self, loaded, jobs):
        self.wait()
        self.batches.append([job.work for job in jobs])
        if len(jobs) > 2 and loaded.name == "large":
            raise torch.OutOfMemoryError("CUDA out of memory")
        for job in jobs:
            if job.work == "strange":
                raise ValueError("of the model's own")
            job.deliver(reply(job.work))


@pytest.fixture
async def made():
    thread = Thread()
    models = LocalModels(most_at_once=4, load=thread.load)
    yield SimpleNamespace(thread=thread, models=models)
    thread.may_go.set()
    await models.close()


def asking(made, *works, key=KEY, kind="score"):
    return [
        asyncio.ensure_future(made.models.ask(key, kind, work, made.thread.together))
        for work in works
    ]


async def busy(made):
    assert await asyncio.to_thread(made.thread.is_busy.wait, 30)


async def test_what_waits_for_a_model_goes_through_it_together(made):
    first = asking(made, "0")
    await busy(made)
    rest = asking(made, *"123456")
    other = asking(made, "x", kind="answer")
    await asyncio.sleep(0)
    made.thread.may_go.set()
    replies = await asyncio.gather(*first, *rest, *other)
    assert [each.choices[0].text for each in replies] == list("0123456x")
    assert made.thread.batches == [["0"], list("1234"), list("56"), ["x"]]
    assert made.thread.loads == ["m"]


async def test_nobody_waits_for_a_call_that_is_cancelled(made):
    first = asking(made, "0")
    await busy(made)
    dropped, kept = asking(made, "1", "2")
    await asyncio.sleep(0)
    dropped.cancel()
    with pytest.raises(asyncio.CancelledError):
        await dropped
    made.thread.may_go.set()
    await asyncio.gather(*first, kept)
    assert made.thread.batches == [["0"], ["2"]]


async def test_closing_turns_away_what_is_under_way_and_what_waits(made):
    waiting = asking(made, "0")
    await busy(made)
    waiting += asking(made, "1")
    await asyncio.sleep(0)
    closing = asyncio.ensure_future(made.models.close())
    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(each) for each in results] == [RejectedError, RejectedError]
    made.thread.may_go.set()
    await closing
    assert not [each for each in threading.enumerate() if each.name == "local models"]
    with pytest.raises(RejectedError, match="closed"):
        await made.models.ask(KEY, "score", "2", made.thread.together)


async def test_a_pass_that_nobody_waits_for_ends_before_its_next_layer(made):
    def one_pass(loaded, jobs):
        loaded.model(torch.zeros(1))
        for job in jobs:
            job.deliver(reply("passed"))

    def asked():
        return asyncio.ensure_future(made.models.ask(KEY, "score", "0", one_pass))

    dropped = [asked(), asked()]
    await busy(made)
    for each in dropped:
        each.cancel()
    await asyncio.wait(dropped)
    made.thread.may_go.set()
    await asked()
    assert made.thread.model.passed == ["second"]


async def test_where_memory_is_short_fewer_go_together(made):
    made.thread.may_go.set()
    key = ModelKey("large", LocalSettings(), False)
    replies = await asyncio.gather(*asking(made, *"0123456", key=key))
    assert [each.choices[0].text for each in replies] == list("0123456")


async def test_what_filled_the_memory_is_given_back_before_fewer_go(made):
    held = []

    def together(loaded, jobs):
        tensor = torch.zeros(1)
        if len(jobs) > 1:
            held.append(weakref.ref(tensor))
            # As torch itself says it: no machine has so much.
            torch.empty(1 << 60, dtype=torch.uint8)
        assert held[0]() is None
        for job in jobs:
            job.deliver(reply(job.work))

    first = asking(made, "0")
    await busy(made)
    both = [asyncio.ensure_future(made.models.ask(KEY, "answer", work, together)) for work in "12"]
    await asyncio.sleep(0)
    made.thread.may_go.set()
    replies = await asyncio.gather(*first, *both)
    assert [each.choices[0].text for each in replies] == list("012")
    assert len(held) == 1


async def test_an_error_of_a_model_refuses_its_requests_and_ends_nothing(made):
    made.thread.may_go.set()
    (strange,) = await asyncio.gather(*asking(made, "strange"), return_exceptions=True)
    assert isinstance(strange, RejectedError)
    assert strange.message == "local model m: ValueError: of the model's own"
    (sound,) = await asyncio.gather(*asking(made, "sound"))
    assert sound.choices[0].text == "sound"


async def test_a_model_that_cannot_be_loaded_is_tried_once(made):
    key = ModelKey("absent", LocalSettings(), False)
    results = await asyncio.gather(*asking(made, *"01", key=key), return_exceptions=True)
    assert [type(each) for each in results] == [UnknownModelError] * 2
    assert results[0] is not results[1]
    assert [each.hint for each in results] == ["another"] * 2
    assert made.thread.loads == ["absent"]


# What is no model for the purpose, found out by loading it.


async def refused(ask_with, folder, api="chat"):
    async with ask_with() as ask:
        with pytest.raises(UnknownModelError) as caught:
            await ask(str(folder), QUESTION, "men", params=SCORE, api=api)
    return caught.value.message


async def test_weights_that_are_missing_are_no_random_numbers(tmp_path, folders, ask_with):
    copy = tmp_path / "copy"
    shutil.copytree(folders.chat, copy)
    weights = load_file(copy / "model.safetensors")
    del weights["lm_head.weight"]
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    said = await refused(ask_with, copy)
    assert said == f"local model {copy}: no whole language model, its files lack lm_head.weight"


async def test_a_language_model_that_calls_itself_a_reward_model_is_none(
    tmp_path, folders, ask_with
):
    copy = tmp_path / "copy"
    shutil.copytree(folders.chat, copy)
    config = json.loads((copy / "config.json").read_text())
    config |= {"architectures": ["LlamaForSequenceClassification"], "id2label": {"0": "r"}}
    (copy / "config.json").write_text(json.dumps(config))
    assert "no whole reward model, its files lack score.weight" in await refused(
        ask_with, copy, "reward"
    )


async def test_a_classifier_of_two_outputs_gives_no_reward(tmp_path, ask_with):
    folder = tiny.reward(tmp_path / "two", outputs=2)
    said = await refused(ask_with, folder, "reward")
    assert said.endswith("a sequence classification head with 2 outputs; a reward model has one")


async def test_files_that_cannot_be_read_are_one_sentence(tmp_path, folders, ask_with):
    copy = tmp_path / "copy"
    shutil.copytree(folders.chat, copy)
    (copy / "model.safetensors").write_bytes(b"no tensors")
    said = await refused(ask_with, copy)
    assert said.startswith(f"local model {copy} cannot be loaded: ")
    assert "\n" not in said


async def test_a_name_that_is_nowhere_is_one_sentence(ask_with, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    said = await refused(ask_with, "nobody/nothing")
    assert said.startswith("local model nobody/nothing cannot be loaded, neither a folder nor")


async def test_a_folder_has_no_revision(folders, ask_with):
    async with ask_with() as ask:
        with pytest.raises(UnknownModelError, match="a folder has no revision"):
            await ask(folders.chat, QUESTION, extra_body={"revision": "main"})


async def test_models_that_differ_have_fingerprints_that_differ(folders, ask_with, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(folders.chat, copy)
    async with ask_with() as ask:
        first, again, other = [
            (await ask(folder, QUESTION, "men", params=SCORE)).fingerprint
            for folder in (folders.chat, str(copy), folders.tuned)
        ]
    assert first == again != other
