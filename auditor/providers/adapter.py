"""What all wire formats share: one request out, one reply or one classified error back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from auditor.errors import EndpointError, RejectedError, TransientError
from auditor.providers.capabilities import Capabilities
from auditor.providers.classification import classify, classify_body
from auditor.providers.error_body import error_body_of, one_line, parse_error_body
from auditor.providers.fields import text_of
from auditor.providers.headers import rate_hints
from auditor.providers.transport import Answer, Body, Transport, decode_body
from auditor.types import JSON, Choice, Reply, Request, Usage

_PROMPT_FIELDS = frozenset({"messages", "prompt", "system"})


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What is sent for a request, and for all that differ from it by their trial alone."""

    request: Request
    body: Body
    sent: dict[str, JSON]

    def serves(self, other: Request) -> bool:
        """Whether the same body is to be sent: repetitions of a cell share the very objects."""
        own = self.request
        return (
            own.messages is other.messages
            and own.params is other.params
            and own.extra_body is other.extra_body
            and own.schema is other.schema
            and own.choices == other.choices
            and own.model == other.model
        )


class Adapter(ABC):
    """A `Provider` for one wire format over one transport.

    Two runs of `send` share nothing but the connections, so any number may be under way.
    """

    path: ClassVar[str]
    """What the wire format adds to the base URL."""
    parameters: ClassVar[Mapping[str, str]]
    """Our name of each parameter that the wire format can express, to its wire name."""

    def __init__(
        self,
        transport: Transport,
        *,
        profile: Capabilities | None = None,
        token_parameter: str = "max_tokens",
    ) -> None:
        """`token_parameter` is the output cap's name where the profile does not know it."""
        self.transport = transport
        self.profile = profile or Capabilities()
        self.token_parameter = self.profile.token_parameter or token_parameter
        self._prepared: _Prepared | None = None

    @abstractmethod
    def body(self, request: Request) -> dict[str, JSON]:
        """The body to send. Raises RejectedError for what the wire format cannot express."""

    @abstractmethod
    def read(self, payload: dict[str, Any]) -> tuple[Choice, ...]:
        """The answers in a decoded body; none where it holds no answer.

        May raise LookupError, TypeError, AttributeError or ValueError on odd shapes.
        """

    @abstractmethod
    def usage(self, payload: dict[str, Any]) -> Usage:
        """Tokens as the endpoint counts them."""

    async def send(self, request: Request, *, timeout_seconds: float) -> Reply:
        """Send one request once; what comes back is a Reply or a subclass of EndpointError."""
        prepared = self._prepared
        if prepared is None or not prepared.serves(request):
            prepared = self._prepared = self._prepare(request)
        try:
            answer = await self.transport.post(
                self.path,
                prepared.body,
                request_id=request.request_id,
                timeout_seconds=timeout_seconds,
            )
            return self._reply(answer, prepared.sent)
        except EndpointError as error:
            if error.status is not None or error.unknown:
                error.sent = prepared.sent
            raise

    async def close(self) -> None:
        """Give the connections back."""
        await self.transport.close()

    def _prepare(self, request: Request) -> _Prepared:
        refused = self.profile.refused_parameter(request)
        if refused is not None:
            raise RejectedError(
                f"{request.model} does not take {refused}, by the findings of its last probe",
                parameter=refused,
                hint="`auditor doctor` asks again",
            )
        body = Body(self.body(request))
        sent = {name: value for name, value in body.items() if name not in _PROMPT_FIELDS}
        return _Prepared(request, body, sent)

    def _reply(self, answer: Answer, sent: Mapping[str, JSON]) -> Reply:
        status, headers, content = answer
        if not 200 <= status < 300:
            raise classify(
                status, headers, content, place=self.transport.place, scrub=self.transport.scrub
            )
        try:
            payload = decode_body(content)
        except (ValueError, RecursionError):
            payload = None
        if isinstance(payload, list) and payload:
            payload = payload[0]  # Gemini wraps its errors in a list
        if not isinstance(payload, dict):
            raise self._unreadable(answer)
        try:
            choices = self.read(payload)
            if not choices:
                raise self._without_answer(answer, payload)
            return Reply(
                choices=choices,
                usage=self.usage(payload),
                model=text_of(payload.get("model")),
                fingerprint=text_of(payload.get("system_fingerprint")),
                sent=sent,
                status=status,
                hints=rate_hints(headers),
            )
        except (LookupError, TypeError, AttributeError, ValueError):
            pass
        raise self._odd_shape(status)

    def _unreadable(self, answer: Answer) -> EndpointError:
        body = parse_error_body(answer.content)
        said = one_line(self.transport.scrub(body.message)) or "nothing"
        what = said if body.is_markup else f"what is no JSON object: {said}"
        # A whole HTML page is a gateway's own; anything else may be a cut or garbled answer.
        return TransientError(
            f"{self.transport.place} answered {answer.status} with {what}",
            status=answer.status,
            unknown=not body.is_markup,
        )

    def _without_answer(self, answer: Answer, payload: dict[str, Any]) -> EndpointError:
        error = payload.get("error") or _first_choice_error(payload)
        if error or payload.get("type") == "error" or payload.get("object") == "error":
            return classify_body(
                answer.status,
                answer.headers,
                error_body_of({"error": error} if error else payload),
                place=self.transport.place,
                scrub=self.transport.scrub,
            )
        return TransientError(
            f"{self.transport.place} answered {answer.status} without any choice",
            status=answer.status,
            unknown=True,
        )

    def _odd_shape(self, status: int) -> TransientError:
        return TransientError(
            f"{self.transport.place} answered {status} with JSON of an unknown shape",
            status=status,
            unknown=True,
        )

    def schema_way(self, request: Request) -> str:
        """How to ask for the request's schema: as it wishes, else by the profile, else natively."""
        return request.schema_way or self.profile.schema or "native"

    def sampling(self, params: Mapping[str, JSON]) -> dict[str, JSON]:
        """Parameters under their wire names; None means not to be sent.

        A model that takes no temperature samples at 1: that one is asked for by leaving it out.
        """
        body: dict[str, JSON] = {}
        for name, value in params.items():
            if value is None or (name == "temperature" and self.profile.temperature is False):
                continue
            wire_name = self.parameters.get(name)
            if wire_name is None:
                raise RejectedError(
                    f"{name} is no parameter of {type(self).__name__}",
                    parameter=name,
                    hint=f"allowed in params: {', '.join(sorted(self.parameters))}; "
                    "what only this endpoint knows goes into extra_body",
                )
            body[self.token_parameter if name == "max_tokens" else wire_name] = value
        return body


def _first_choice_error(payload: dict[str, Any]) -> Any:
    choices = payload.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0].get("error")
    return None
