"""The mock server itself: requests in, counted; quirks, faults and limits; answers out."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import ssl
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web

from auditor.draws import draw
from tests.mock_server import wire
from tests.mock_server.answers import Answer, Question, Said, default_answer
from tests.mock_server.broken import broken, failing
from tests.mock_server.faults import STATUSES, Faults, fault_body
from tests.mock_server.quirks import QUIRKS, Quirk, Raw, anthropic_error, openai_error, raw_json
from tests.mock_server.rate_limit import Bucket

_MAKERS = {"openai": wire.chat, "completions": wire.completion, "anthropic": wire.message}
_PATHS = {"/chat/completions": "openai", "/completions": "completions", "/messages": "anthropic"}
_KEPT_REQUESTS = 1000
_LOOK_SECONDS = 0.005
"""Between two looks whether a call that waits may be answered."""
CERTIFICATE = Path(__file__).with_name("self_signed.pem")
"""Key and certificate of 127.0.0.1, ::1, localhost and model.invalid, good for nothing else."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Received:
    """One request as it came."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


class MockServer:
    """Serves any number of models at 127.0.0.1; an async context manager.

    Attributes:
        counts: calls by trial key (each key of a comma-separated id counts).
        attempts: calls by "<trial>.<attempt>".
        statuses: responses by HTTP status.
        requests: the last 1,000 requests, where `record` is set.
        received: calls that came, answered or not.
        peers: addresses that calls came from: one a connection.
        in_flight, most_in_flight: calls being answered, now and at most.
        most_answers: how many calls are answered; those beyond wait. None: all. May be set from
            any thread: what waits for it goes on.
    """

    def __init__(
        self,
        *,
        answer: Answer = default_answer,
        profile: str | Quirk = "plain",
        models: Mapping[str, str] | None = None,
        faults: Faults | None = None,
        bucket: Bucket | None = None,
        latency_seconds: float = 0.0,
        jitter: float = 0.0,
        seed: int = 0,
        key: str | None = None,
        record: bool = False,
        host: str = "127.0.0.1",
        port: int = 0,
        is_tls: bool = False,
        keepalive_seconds: float = 75.0,
        most_answers: int | None = None,
    ) -> None:
        """`profile` is a name in QUIRKS or a quirk of one's own.

        `models` maps a model's name to its quirk; `key` is demanded where it is given.
        `jitter` is the share of the latency that is drawn by trial and attempt. Over TLS its
        certificate (CERTIFICATE) is one that nobody vouches for.
        """
        self.answer = answer
        self.profile = profile
        self.models = dict(models or {})
        self.faults = faults or Faults()
        self.bucket = bucket
        self.latency_seconds = latency_seconds
        self.jitter = jitter
        self.seed = seed
        self.key = key
        self.record = record
        self.counts: Counter[str] = Counter()
        self.attempts: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()
        self.requests: deque[Received] = deque(maxlen=_KEPT_REQUESTS)
        self.received = 0
        self.peers: set[object] = set()
        self.in_flight = 0
        self.most_in_flight = 0
        self.most_answers = most_answers
        self._let_go = 0
        self._host = host
        self._port = port
        self._is_tls = is_tls
        self._keepalive_seconds = keepalive_seconds
        self._runner: web.ServerRunner | None = None

    async def __aenter__(self) -> MockServer:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Listen."""
        # A bare server without routes: half the cost of an application.
        self._runner = web.ServerRunner(
            web.Server(
                self._handle,
                access_log=None,
                handler_cancellation=True,
                keepalive_timeout=self._keepalive_seconds,
            ),
            shutdown_timeout=0.1,
        )
        await self._runner.setup()
        context = None
        if self._is_tls:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(CERTIFICATE)
        site = web.TCPSite(self._runner, self._host, self._port, ssl_context=context)
        await site.start()
        self._port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Stop listening and break what is open."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def hang_up(self) -> None:
        """Close all connections; a client in the same loop has seen it then."""
        if self._runner is not None and self._runner.server is not None:
            for connection in self._runner.server.connections:
                connection.close()
                if connection.transport is not None:
                    connection.transport.close()
            while self._runner.server.connections:
                await asyncio.sleep(0)
        for _ in range(5):
            await asyncio.sleep(0)

    @property
    def url(self) -> str:
        """Scheme, host and port."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"{'https' if self._is_tls else 'http'}://{host}:{self._port}"

    @property
    def openai_url(self) -> str:
        """Base URL for OpenAI's wire formats."""
        return f"{self.url}/v1"

    @property
    def anthropic_url(self) -> str:
        """Base URL for Anthropic's wire format."""
        return self.url

    @property
    def last_body(self) -> dict[str, Any]:
        """Body of the last request recorded."""
        return self.requests[-1].body

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.method == "GET":
            return self._show(request.path)
        format_ = next((name for end, name in _PATHS.items() if request.path.endswith(end)), None)
        if format_ is None:
            self.statuses[404] += 1
            return web.Response(status=404, text=f"404 page not found: {request.path}")
        self.received += 1
        if request.transport is not None:
            self.peers.add(request.transport.get_extra_info("peername"))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            response = await self._respond(request, format_)
        finally:
            self.in_flight -= 1
        self.statuses[response.status] += 1
        return response

    async def _respond(self, request: web.BaseRequest, format_: str) -> web.StreamResponse:
        # Past request.read(), which takes no more than 1 MiB.
        content = await request.content.read()
        body = json.loads(content)
        ids = _ids(request.headers.get("X-Client-Request-Id"), content)
        self.counts.update(trial for trial, _ in ids)
        self.attempts.update(f"{trial}.{attempt}" for trial, attempt in ids)
        if self.record:
            self.requests.append(
                Received(path=request.path_qs, headers=request.headers.copy(), body=body)
            )
        trial, attempt = ids[0]
        while self.most_answers is not None and self._let_go >= self.most_answers:
            await asyncio.sleep(_LOOK_SECONDS)
        self._let_go += 1
        if self.latency_seconds:
            spread = self.jitter * (draw(self.seed, "latency", f"{trial}.{attempt}") - 0.5)
            await asyncio.sleep(self.latency_seconds * (1 + spread))
        refused = self._gate(request, format_)
        if refused is not None:
            return _raw_response(refused)
        fault = self.faults.at(trial, attempt)
        if fault in STATUSES:
            return _raw_response(failing(fault, format_))
        quirk = self._quirk(request.path, body)
        raw = quirk.respond(body, format_)
        if raw is not None:
            return _raw_response(raw)
        payload = self._payload(body, format_, ids, quirk)
        if fault is not None:
            return await broken(request, fault, payload)
        response = web.Response(
            body=json.dumps(payload).encode(),
            content_type=quirk.content_type,
            headers=self._headers(format_),
        )
        if quirk.is_packed:
            response.enable_compression(web.ContentCoding.gzip)
        return response

    def _gate(self, request: web.BaseRequest, format_: str) -> Raw | None:
        """What stands before the model: the key, then the rate limit."""
        if self.key is not None and self.key not in (
            request.headers.get("Authorization", "").removeprefix("Bearer "),
            request.headers.get("x-api-key"),
            request.headers.get("api-key"),
        ):
            if format_ == "anthropic":
                return anthropic_error(401, "invalid x-api-key", kind="authentication_error")
            # OpenAI repeats the key; here it is not even masked, to try the client's discretion.
            given = request.headers.get("Authorization", "").removeprefix("Bearer ")
            message = f"Incorrect API key provided: {given}."
            return openai_error(401, message, code="invalid_api_key")
        if self.bucket is None or self.bucket.take():
            return None
        wait = str(max(1, math.ceil(self.bucket.wait_seconds)))
        headers = {**self._headers(format_), "Retry-After": wait}
        return raw_json(429, fault_body(429, format_), **headers)

    def _quirk(self, path: str, body: dict[str, Any]) -> Quirk:
        if path.startswith("/p/"):
            return QUIRKS[path.split("/")[2]]
        profile = self.models.get(body.get("model", ""), self.profile)
        return profile if isinstance(profile, Quirk) else QUIRKS[profile]

    def _payload(
        self, body: dict[str, Any], format_: str, ids: list[tuple[str, int]], quirk: Quirk
    ) -> Any:
        asked = {name: value for name, value in body.items() if name not in quirk.drop}
        cap = asked.get("max_completion_tokens", asked.get("max_tokens"))
        answers = []
        for index in range(asked.get("n") or 1):
            # A request for more choices than ids is no audit's; its answers differ all the same.
            trial = ids[index][0] if index < len(ids) else f"{ids[0][0]}#{index}"
            question = Question(
                trial=trial,
                model=str(body.get("model")),
                prompt=wire.prompt_of(body),
                params=asked,
                seed=self.seed,
            )
            said: Said = quirk.say(question, self.answer(question))
            answers.append(wire.cut(said, cap, reasons=quirk.reasons))
        return quirk.change(_MAKERS[format_](asked, answers, ids[0][0]), body)

    def _headers(self, format_: str) -> dict[str, str]:
        name = "request-id" if format_ == "anthropic" else "x-request-id"
        limits = self.bucket.headers() if self.bucket is not None else {}
        return {name: "req_mock", **limits}

    def _show(self, path: str) -> web.Response:
        if path == "/__counts":
            return web.json_response(
                {
                    "calls": sum(self.statuses.values()),
                    "in_flight": self.in_flight,
                    "most_in_flight": self.most_in_flight,
                    "by_trial": self.counts,
                    "by_attempt": self.attempts,
                    "by_status": self.statuses,
                }
            )
        if path.endswith("/models"):
            names = [*self.models, "mock"]
            return web.json_response(
                {"object": "list", "data": [{"id": name, "object": "model"} for name in names]}
            )
        return web.Response(status=404)


def _ids(header: str | None, content: bytes) -> list[tuple[str, int]]:
    """(trial, attempt) of each id; a body without the header stands for itself."""
    if not header:
        return [(hashlib.blake2b(content, digest_size=16).hexdigest(), 1)]
    ids = []
    for one in header.split(","):
        trial, _, attempt = one.strip().rpartition(".")
        ids.append((trial, int(attempt)) if trial and attempt.isdigit() else (one.strip(), 1))
    return ids


def _raw_response(raw: Raw) -> web.Response:
    return web.Response(status=raw.status, body=raw.content, headers=raw.headers)
