"""The tables of a spec file, one model each. A field's description says what it allows."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from auditor.spec.problems import shown
from auditor.spec.validation import SECRET

LARGEST = 2**63 - 1
"""The largest integer that a store holds."""

SAFE_NAME_PATTERN = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")
SAFE_NAME_WORDS = "letters, digits, . _ - (at most 100, a letter or digit first)"
_SECRET_WORDS = ("key", "token", "secret", "sig", "pass", "code", "auth", "credential")
VARIABLE = r"^[A-Z_][A-Z0-9_]*$"


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _displayable(name: str) -> str:
    if not name.isprintable() or name != name.strip() or name == "*":
        raise ValueError("it could not be shown")
    return name


def _safe(name: str) -> str:
    if not SAFE_NAME_PATTERN.match(name):
        raise ValueError("no file could be called so")
    return name


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"it holds {value}")
    if isinstance(value, int) and abs(value) > LARGEST:
        raise ValueError("it holds a whole number beyond 64 bits")
    if not isinstance(value, str | int | float):
        raise ValueError("it holds a date or a time")
    return value


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _server(url: str) -> str:
    # Whatever stands before an @ or after a ? may be a secret, in a broken URL too.
    said = "value not shown" if "@" in url or "?" in url else f"value {shown(url)}"
    try:
        parts = urlsplit(url)
        is_server = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        has_user = "@" in parts.netloc
        queries = [name.lower() for name, _ in parse_qsl(parts.query, keep_blank_values=True)]
    except ValueError:  # its text may quote the URL
        raise ValueError(said) from None
    if has_user or any(word in name for name in queries for word in _SECRET_WORDS):
        raise ValueError("it holds a credential (value not shown)")
    if not is_server or parts.fragment or not url.isprintable() or " " in url:
        raise ValueError(said)
    return url


Name = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_displayable)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1, le=LARGEST)]
Texts = Annotated[tuple[str, ...], Field(strict=False, min_length=1), BeforeValidator(_listed)]
PlainTable = Annotated[dict[str, Any], AfterValidator(_plain)]
_NAME = "1 to 100 printable characters, without spaces around them, not *"
_MODEL = '"provider:model"'
BASE = "the name of another target: the base model that this one was tuned from"


class BudgetTable(_Table):
    """`budget`: limits of a run."""

    usd: Positive | None = Field(default=None, description="US dollars, a number above 0")
    calls: Count | None = Field(default=None, description="a whole number from 1")
    tokens: Count | None = Field(default=None, description="a whole number from 1")


class PriceTable(_Table):
    """`price` of an endpoint."""

    input: float = Field(ge=0, allow_inf_nan=False, description="US dollars for a million tokens")
    output: float = Field(ge=0, allow_inf_nan=False, description="US dollars for a million tokens")


class EndpointTable(_Table):
    """`[endpoints.NAME]`: where calls go, and the limits there."""

    provider: str = Field(description="a provider")
    base_url: Annotated[str, AfterValidator(_server)] | None = Field(
        default=None,
        description="an http or https URL without user, password or key in it",
        json_schema_extra=SECRET,
    )
    api_key_env: Annotated[str, Field(pattern=VARIABLE, max_length=100)] | None = Field(
        default=None,
        description="the name of an environment variable (capital letters, digits, _), never a key",
        json_schema_extra=SECRET,
    )
    concurrency: int | None = Field(
        default=None, ge=1, le=10_000, description="a whole number from 1 to 10000"
    )
    """None: the provider's default."""
    requests_per_minute: Positive | None = Field(default=None, description="a number above 0")
    tokens_per_minute: Positive | None = Field(default=None, description="a number above 0")
    timeout_seconds: Positive = Field(default=120.0, description="a number above 0")
    client: Literal["http", "sdk"] = Field(default="http", description='"http" or "sdk"')
    price: PriceTable | None = Field(
        default=None, description="a table of input and output, US dollars for a million tokens"
    )


class ParamsTable(_Table):
    """`params`: sampling parameters in the project's names; others go into `extra_body`."""

    temperature: float | None = Field(
        default=None, ge=0, le=2, allow_inf_nan=False, description="a number from 0 to 2"
    )
    top_p: float | None = Field(
        default=None, gt=0, le=1, allow_inf_nan=False, description="a number above 0, up to 1"
    )
    top_k: Count | None = Field(default=None, description="a whole number from 1")
    max_tokens: Count | None = Field(default=None, description="a whole number from 1")
    stop: Texts | None = Field(default=None, description="a text or a list of texts")
    presence_penalty: float | None = Field(
        default=None, ge=-2, le=2, allow_inf_nan=False, description="a number from -2 to 2"
    )
    frequency_penalty: float | None = Field(
        default=None, ge=-2, le=2, allow_inf_nan=False, description="a number from -2 to 2"
    )
    reasoning_effort: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description='a text that the endpoint knows, as "low"'
    )


class TargetParamsTable(ParamsTable):
    """A target's `params`."""

    seed: bool | None = Field(
        default=None,
        description="true: every trial is sent with a seed of its own, drawn from the run's",
    )
    """Never a number: repetitions with one seed would be one sample."""


class TargetTable(_Table):
    """One of `[[targets]]`: a model under audit."""

    name: Name | None = Field(default=None, description=_NAME)
    model: str = Field(description=_MODEL)
    endpoint: str | None = Field(default=None, description="the name of an [endpoints.NAME] table")
    api: Literal["chat", "completions", "reward"] = Field(
        default="chat", description='"chat", "completions" or "reward"'
    )
    params: TargetParamsTable = Field(
        default=TargetParamsTable(), description="a table of sampling parameters"
    )
    extra_body: PlainTable = Field(
        default={},
        description="a table of texts, numbers, lists and tables",
        json_schema_extra=SECRET,
    )
    system: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description="a text that is not empty"
    )
    variant: str = Field(default="", max_length=200, description="a text of at most 200 characters")
    samples_per_request: int = Field(
        default=1, ge=1, le=128, description="a whole number from 1 to 128"
    )
    tuned_from: str | None = Field(default=None, description=BASE)


class JudgeTable(_Table):
    """One of `judges`: what annotates a task, an offline judge or a model."""

    task: str = Field(description="a task of the spec's protocols")
    name: Name | None = Field(default=None, description=_NAME)
    protocol: str | None = Field(
        default=None, description="a protocol of the spec that has the task"
    )
    setting: str | None = Field(default=None, description="a setting of the task")
    judge: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description="the name of an offline judge"
    )
    command: Annotated[tuple[str, ...], Field(strict=False, min_length=1)] | None = Field(
        default=None,
        description='a list of texts, the program first, as ["./my-judge", "--option"]',
        json_schema_extra=SECRET,
    )
    timeout_seconds: Positive | None = Field(default=None, description="a number above 0")
    model: str | None = Field(default=None, description=_MODEL)
    endpoint: str | None = Field(default=None, description="the name of an [endpoints.NAME] table")
    params: PlainTable = Field(
        default={}, description="a table of sampling parameters, or of an offline judge's settings"
    )
    extra_body: PlainTable = Field(
        default={},
        description="a table of texts, numbers, lists and tables",
        json_schema_extra=SECRET,
    )
    output: Literal["native", "tool", "prompted"] | None = Field(
        default=None, description='"native", "tool" or "prompted"'
    )
    options: PlainTable = Field(
        default={}, description="a table of options of the task, for a model that judges it"
    )


class AddedTable(_Table):
    """`[added]`: written into the spec of a store. Its tables are validated one by one."""

    judges: list[dict[str, Any]] = Field(default=[], description="tables [[added.judges]]")
    endpoints: dict[str, dict[str, Any]] = Field(
        default={}, description="tables [added.endpoints.NAME], settings over those of the spec"
    )


class SpecTable(_Table):
    """The top of a spec file. The tables of its lists are validated one by one."""

    name: Annotated[str, AfterValidator(_safe)] = Field(description=SAFE_NAME_WORDS)
    seed: int = Field(
        default=1, ge=0, le=LARGEST, description=f"a whole number from 0 to {LARGEST}"
    )
    max_failure_rate: float = Field(
        default=0.0, ge=0, le=1, allow_inf_nan=False, description="a number from 0 to 1"
    )
    budget: BudgetTable = Field(
        default=BudgetTable(), description="a table of usd, calls, tokens, each optional"
    )
    judges: list[dict[str, Any]] = Field(
        default=[], description='a list of tables, as {task = "choice", judge = "rules"}'
    )
    endpoints: dict[str, dict[str, Any]] = Field(default={}, description="tables [endpoints.NAME]")
    targets: list[dict[str, Any]] = Field(default=[], description="tables [[targets]]")
    tuned_from: dict[str, Any] = Field(
        default={},
        description="a table of imported targets, each to the name of its base model",
    )
    protocols: dict[str, dict[str, Any]] = Field(
        default={}, description='tables [protocols."NAME"]'
    )
    added: AddedTable = Field(
        default=AddedTable(),
        description="judges and endpoints that `auditor judge` has added to a store's spec",
    )
