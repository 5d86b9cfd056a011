"""Every error of the project, in one tree.

::

    AuditorError                   a sentence for the user, a place and a hint; never a traceback
    ├── UsageError                 exit 2: wrong command line, spec, import file or label file
    ├── StoreError                 exit 1: the store cannot be read or written
    │   ├── StoreMismatch          exit 2: another run, a newer schema, or no store at all
    │   ├── StoreLocked            exit 2: another process writes this store
    │   └── LockLost               exit 1: another process has taken this store over
    ├── StatisticsError            exit 1: a statistic was asked of data that cannot give it
    ├── JudgeError                 a judge's process did not answer: its sources are failures
    │   ├── JudgeStopped           and will not: what is left of its sources stays open
    │   └── JudgeHurried           it was not given the time: its sources stay open
    └── EndpointError              what a call ended with, if not with an answer
        ├── TransientError         retried with backoff: 408, 409, 5xx, 529, connection, time-out
        ├── RateError              429: the endpoint pauses as a whole
        ├── QuotaError             the account is used up: the endpoint stops
        ├── AuthError              the key is refused: the endpoint stops
        ├── UnreachableError       nothing has answered for minutes: the endpoint stops
        ├── UnknownModelError      the endpoint has no such model: the target stops
        ├── ContentError           a filter refused the prompt: an outcome, not a failure
        └── RejectedError          any other refusal of the request: never retried
"""

from __future__ import annotations

from typing import ClassVar


class AuditorError(Exception):
    """A failure that a user can read: what happened, where, and what to do next."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint


class UsageError(AuditorError):
    """The user asked for something that cannot be done as asked."""

    exit_code = 2


class StoreError(AuditorError):
    """The store cannot be read or written."""


class StoreMismatch(StoreError):
    """The file is no store, a store of another run, or of a newer version."""

    exit_code = 2


class StoreLocked(StoreError):
    """Another living process writes this store."""

    exit_code = 2


class LockLost(StoreError):
    """Another process took the store over; nothing more may be written by this one."""


class StatisticsError(AuditorError):
    """A statistic was asked of data that cannot give it."""


class JudgeError(AuditorError):
    """A judge's process gave no answer to one batch of sources."""


class JudgeStopped(JudgeError):
    """A judge cannot work any more in this process; what it has not judged stays open."""


class JudgeHurried(JudgeError):
    """The user had had enough before a judge answered; what it has not judged stays open."""


class EndpointError(AuditorError):
    """A call that ended without an answer.

    Attributes:
        status: HTTP status, or None where no response arrived.
        retry_after_seconds: the endpoint's own word on when to come back, or None.
        unknown: True where the request may have been carried out and billed although no
            answer arrived (a time-out, a connection lost after sending).
        code: the provider's own error code, or None.
        sent: parameters that were really sent, without messages, or None if nothing was.
    """

    kind: ClassVar[str] = "permanent"
    retryable: ClassVar[bool] = False

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        retry_after_seconds: float | None = None,
        unknown: bool = False,
        code: str | None = None,
        sent: dict[str, object] | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.retry_after_seconds = retry_after_seconds
        self.unknown = unknown
        self.code = code
        self.sent = sent


class TransientError(EndpointError):
    """Will probably pass: retried with backoff."""

    kind = "transient"
    retryable = True


class RateError(EndpointError):
    """Too many requests: the endpoint pauses as a whole, shrinks, and grows back."""

    kind = "rate"
    retryable = True


class QuotaError(EndpointError):
    """The account is used up; waiting for the next second does not help."""

    kind = "quota"


class AuthError(EndpointError):
    """The endpoint refuses the key."""

    kind = "auth"


class UnreachableError(EndpointError):
    """The endpoint has not answered for minutes, whatever was tried."""

    kind = "unreachable"


class UnknownModelError(EndpointError):
    """The endpoint serves no such model."""

    kind = "model"


class ContentError(EndpointError):
    """A content filter refused the prompt: recorded as the outcome `filtered`."""

    kind = "content"


class RejectedError(EndpointError):
    """The endpoint refuses this request; the same request would be refused again.

    `parameter` names the offending parameter where the endpoint says it.
    """

    kind = "permanent"

    def __init__(self, message: str, *, parameter: str | None = None, **rest: object) -> None:
        super().__init__(message, **rest)  # type: ignore[arg-type]
        self.parameter = parameter
