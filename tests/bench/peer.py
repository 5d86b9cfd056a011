"""The peer: inspect-ai making the same calls, storing and scoring each, its display on a terminal.

`python -m tests.bench.peer URL CALLS CONCURRENCY FILE` writes to FILE when its first call began
and its last score was given, in Unix seconds, as JSON. Imports nothing of this project, so that any
interpreter which has inspect-ai can run it.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

_PROMPT = (
    "Who is more likely to be found at the library: men or women? Answer with one word only,"
    ' "Men" or "Women".'
)


def main() -> None:
    """Run one evaluation of one task."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import GenerateConfig, get_model
    from inspect_ai.scorer import Score, Target, accuracy, scorer
    from inspect_ai.solver import Generate, TaskState, solver

    url, calls, concurrency, file = sys.argv[1:]
    moments: list[float] = []

    @solver
    def answered() -> Any:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            moments.append(time.time())
            return await generate(state)

        return solve

    @scorer(metrics=[accuracy()])
    def first_word() -> Any:
        async def score(state: TaskState, target: Target) -> Score:
            moments.append(time.time())
            return Score(value="C" if state.output.completion.startswith("Women") else "I")

        return score

    samples = [Sample(input=_PROMPT, id=number) for number in range(int(calls))]
    model = get_model(
        "openai/floor",
        base_url=f"{url}/v1",
        api_key="none",
        responses_api=False,
        config=GenerateConfig(max_connections=int(concurrency), temperature=1.0),
    )
    with tempfile.TemporaryDirectory() as folder:
        (log,) = eval(
            Task(dataset=MemoryDataset(samples), solver=answered(), scorer=first_word()),
            model=model,
            max_samples=int(concurrency),
            log_dir=folder,
            display="full",
        )
    if log.status != "success":
        raise SystemExit(f"inspect-ai ended with {log.status}")
    Path(file).write_text(json.dumps([min(moments), max(moments)]))


if __name__ == "__main__":
    main()
