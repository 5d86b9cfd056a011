"""What `doctor` asks a local model: to be loaded, and one token or one score."""

from __future__ import annotations

from collections.abc import Mapping

from auditor.providers.capabilities import Capabilities
from auditor.providers.probes import Finding, ProbeReport, Send
from auditor.types import JSON, Message, Reply, Request

_QUESTION = Message("user", "Answer with the single word yes.")
_ANSWER = Message("assistant", "yes")
_ALTERNATIVES = 5
"""As many as other models are asked for."""


async def probe_local(
    send: Send, *, model: str, api: str, extra_body: Mapping[str, JSON]
) -> ProbeReport:
    """Load a model by one short call. What it takes is known beforehand.

    A refusal is raised, as every other error is: nothing but the model itself can be at fault.
    """
    is_reward = api == "reward"
    reply = await send(
        Request(
            model=model,
            messages=(_QUESTION, _ANSWER) if is_reward else (_QUESTION,),
            request_id="probe-load-1.1",
            params={"score": True} if is_reward else {"max_tokens": 1},
            extra_body=extra_body,
            api=api,
        )
    )
    known = Capabilities()
    if not is_reward:
        known = Capabilities(
            token_parameter="max_tokens",
            one_token_answer=True,
            temperature=True,
            logprobs=True,
            top_logprobs=_ALTERNATIVES,
            choices=True,
            seed=True,
            schema="none",
            reasoning=False,
        )
    return ProbeReport(
        capabilities=known,
        findings=(
            Finding(question="loaded", answer=_place(reply)),
            Finding(question="one score" if is_reward else "one token", answer="given"),
        ),
        calls=1,
        model=reply.model,
    )


def _place(reply: Reply) -> str:
    return f"on {reply.sent['device']} as {reply.sent['dtype']}, {reply.fingerprint}"
