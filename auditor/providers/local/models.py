"""The local models of one endpoint, and the one thread that works with them."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from auditor.errors import EndpointError, RejectedError, UnknownModelError
from auditor.plugins import described
from auditor.providers.error_body import one_line
from auditor.providers.local.loading import Loaded, load
from auditor.providers.local.settings import LocalSettings
from auditor.types import Reply

_GRACE_SECONDS = 5.0
"""For the thread to come to the end of what it is at; it is left behind where that takes longer."""

_CLOSED = "the local models are closed"


@dataclass(frozen=True, slots=True)
class ModelKey:
    """What makes two requests need the same model in memory."""

    name: str
    settings: LocalSettings
    is_reward: bool


Result = Reply | EndpointError


@dataclass(eq=False)
class Job:
    """One request that waits for its model."""

    key: ModelKey
    kind: str
    """Jobs of one kind are done together."""
    work: Any
    """What `Together` is given."""
    future: asyncio.Future[Reply] = field(repr=False)
    loop: asyncio.AbstractEventLoop = field(repr=False)
    _is_delivered: bool = False

    def is_dropped(self) -> bool:
        """Whether nobody waits for it any more."""
        return self._is_delivered or self.future.done()

    def deliver(self, result: Result) -> None:
        """Hand the result to whoever waits, in their thread."""
        self._is_delivered = True
        # A loop that is closed has nobody left who waits.
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self._set, result)

    def _set(self, result: Result) -> None:
        if self.future.done():
            return
        if isinstance(result, EndpointError):
            self.future.set_exception(result)
        else:
            self.future.set_result(result)


Together = Callable[[Loaded, Sequence[Job]], None]
"""Does jobs of one model and kind, and delivers each. What it raises ends those that are left."""


class LocalModels:
    """Loads each model once and asks it in one thread, which starts with the first request.

    Args:
        most_at_once: requests that go through a model together at most.
        load: loads a model; passed in by tests.
    """

    def __init__(self, *, most_at_once: int, load: Callable[..., Loaded] = load) -> None:
        self._most_at_once = max(1, most_at_once)
        self._load = load
        self._waiting: deque[tuple[Job, Together]] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._busy: list[Job] = []
        # What follows is the thread's alone.
        self._loaded: dict[ModelKey, Loaded | EndpointError] = {}

    async def ask(self, key: ModelKey, kind: str, work: Any, together: Together) -> Reply:
        """Wait for one request's turn and its answer. Raises a subclass of EndpointError.

        Whoever is cancelled here is passed over, and an answer half written is dropped.
        """
        loop = asyncio.get_running_loop()
        job = Job(key=key, kind=kind, work=work, future=loop.create_future(), loop=loop)
        with self._changed:
            if self._is_closed:
                raise RejectedError(_CLOSED)
            self._waiting.append((job, together))
            if self._thread is None:
                # A daemon: a program that ends waits for no model.
                self._thread = threading.Thread(target=self._run, name="local models", daemon=True)
                self._thread.start()
            self._changed.notify()
        return await job.future

    async def close(self) -> None:
        """Turn away what waits, end the thread and free the models."""
        with self._changed:
            self._is_closed = True
            left, thread = [*self._busy, *(job for job, _ in self._waiting)], self._thread
            self._waiting.clear()
            self._changed.notify()
        for job in left:
            if not job.is_dropped():
                job.deliver(RejectedError(_CLOSED))
        if thread is not None:
            await asyncio.to_thread(thread.join, _GRACE_SECONDS)

    def _run(self) -> None:
        while (batch := self._next()) is not None:
            jobs, together = batch
            self._do(jobs, together)
        self._loaded.clear()
        _free_memory()

    def _next(self) -> tuple[list[Job], Together] | None:
        """The first that waits, and others that can go with it; None once closed."""
        with self._changed:
            while not self._waiting and not self._is_closed:
                self._changed.wait()
            if self._is_closed:
                return None
            first, together = self._waiting[0]
            chosen: list[Job] = []
            rest: deque[tuple[Job, Together]] = deque()
            for job, how in self._waiting:
                is_alike = job.key == first.key and job.kind == first.kind
                if is_alike and len(chosen) < self._most_at_once:
                    chosen.append(job)
                else:
                    rest.append((job, how))
            self._waiting, self._busy = rest, chosen
            return chosen, together

    def _do(self, given: Sequence[Job], together: Together) -> None:
        jobs = [job for job in given if not job.is_dropped()]
        if not jobs:
            return
        is_short_of_memory = False
        try:
            loaded = self._model(jobs[0].key)
            with _left_when_dropped(loaded.model, jobs):
                together(loaded, jobs)
        except EndpointError as error:
            _refuse(jobs, error)
        except Exception as error:
            is_short_of_memory = _is_out_of_memory(error) and len(jobs) > 1
            if not is_short_of_memory:
                said = one_line(f"local model {jobs[0].key.name}: {described(error)}")
                _refuse(jobs, RejectedError(said))
        if is_short_of_memory:
            # Behind the handler: an error that is at hand keeps the tensors of its frames.
            _free_memory()
            half = len(jobs) // 2
            self._do(jobs[:half], together)
            self._do(jobs[half:], together)

    def _model(self, key: ModelKey) -> Loaded:
        found = self._loaded.get(key)
        if found is None:
            try:
                found = self._load(key.name, key.settings, is_reward=key.is_reward)
            except EndpointError as error:
                found = _bare(error)
            self._loaded[key] = found
        if isinstance(found, EndpointError):
            raise found
        return found


@contextlib.contextmanager
def _left_when_dropped(model: Any, jobs: Sequence[Job]) -> Iterator[None]:
    """While the block runs, a pass ends before its next layer once nobody waits for any job."""
    import torch

    def check(*_: Any) -> None:
        if all(job.is_dropped() for job in jobs):
            raise RejectedError("nobody waits for this answer")

    stacks = [part for part in model.modules() if isinstance(part, torch.nn.ModuleList)]
    hooks = [layer.register_forward_pre_hook(check) for stack in stacks for layer in stack]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _refuse(jobs: Sequence[Job], error: EndpointError) -> None:
    """Give the same error to all that have no answer, as an object of its own to each."""
    for job in jobs:
        if not job.is_dropped():
            job.deliver(_bare(error))


def _bare(error: EndpointError) -> EndpointError:
    """The same error without its traceback, whose frames may hold a model."""
    kind = UnknownModelError if isinstance(error, UnknownModelError) else RejectedError
    return kind(error.message, hint=error.hint)


def _is_out_of_memory(error: Exception) -> bool:
    """On a GPU; of other memory torch speaks in one of two sentences."""
    said = str(error)
    return (
        type(error).__name__ == "OutOfMemoryError"
        or "not enough memory" in said
        or "can't allocate memory" in said
    )


def _free_memory() -> None:
    gc.collect()
    # Where it is not imported it has nothing to free, and importing it takes seconds.
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
