"""The class of every answer that real endpoints are known to give."""

import json

import pytest

from auditor.errors import (
    AuthError,
    ContentError,
    QuotaError,
    RateError,
    RejectedError,
    TransientError,
    UnknownModelError,
)
from auditor.providers.classification import classify


def of(status, body, headers=None):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return classify(status, headers or {}, content, place="mock", scrub=lambda text: text)


def openai(message="", code=None, param=None, kind=None):
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def anthropic(kind, message=""):
    return {"type": "error", "error": {"type": kind, "message": message}}


TABLE = [
    # What each status means where the body says nothing.
    *[(status, b"", AuthError) for status in (301, 302, 307, 308, 401, 403, 404, 405, 407)],
    *[(status, b"", TransientError) for status in (408, 409, 425, 498, 499, 500, 502, 503)],
    *[(status, b"", TransientError) for status in (504, 520, 524, 529)],
    *[(status, b"", RejectedError) for status in (400, 413, 415, 422, 451)],
    (402, b"", QuotaError),
    (429, b"", RateError),
    # The account is used up.
    (429, openai("You exceeded your current quota", "insufficient_quota"), QuotaError),
    (429, openai("billing", "billing_not_active"), QuotaError),
    (429, openai("Rate limit reached on tokens per day (TPD): Limit 500000"), QuotaError),
    (429, openai("Rate limit exceeded: free-models-per-day"), QuotaError),
    (400, anthropic("invalid_request_error", "Your credit balance is too low"), QuotaError),
    (402, anthropic("billing_error", "payment"), QuotaError),
    (402, openai("Insufficient Balance", "invalid_request_error"), QuotaError),
    (400, {"code": "Arrearage", "message": "Access denied, account in arrears"}, QuotaError),
    (403, openai("Your team has used all available credits"), QuotaError),
    (
        429,
        [
            {
                "error": {
                    "code": 429,
                    "message": "You exceeded your current quota",
                    "details": [{"violations": [{"quotaId": "RequestsPerDayPerProject"}]}],
                }
            }
        ],
        QuotaError,
    ),
    # A rate limit, though its words speak of a quota.
    (
        429,
        [
            {
                "error": {
                    "code": 429,
                    "message": "You exceeded your current quota",
                    "details": [{"violations": [{"quotaId": "RequestsPerMinutePerProject"}]}],
                }
            }
        ],
        RateError,
    ),
    (429, openai("Rate limit reached on requests per min (RPM): Limit 3"), RateError),
    (429, anthropic("rate_limit_error", "would exceed your rate limit"), RateError),
    # The key.
    (401, openai("Incorrect API key provided", "invalid_api_key"), AuthError),
    (
        400,
        [{"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}}],
        AuthError,
    ),
    (403, anthropic("permission_error", "no permission"), AuthError),
    # The model.
    (404, openai("The model `x` does not exist", "model_not_found"), UnknownModelError),
    (
        403,
        openai("Project does not have access to model `x`", "model_not_found"),
        UnknownModelError,
    ),
    (
        404,
        {"error": {"message": 'model "llama3.2" not found, try pulling it first'}},
        UnknownModelError,
    ),
    (
        404,
        {"object": "error", "message": "The model `llama3.2` does not exist.", "code": 404},
        UnknownModelError,
    ),
    (404, anthropic("not_found_error", "model: claude-x"), UnknownModelError),
    (
        404,
        [{"error": {"code": 404, "message": "models/x is not found for API version v1"}}],
        UnknownModelError,
    ),
    (
        404,
        {"error": {"code": "DeploymentNotFound", "message": "The API deployment does not exist"}},
        UnknownModelError,
    ),
    (400, openai("Model Not Exist", "invalid_request_error"), UnknownModelError),
    (
        400,
        {"message": "Invalid model: x", "type": "invalid_model", "code": "1500"},
        UnknownModelError,
    ),
    (404, openai("No endpoints found for x/y"), UnknownModelError),
    (404, {"code": "not-found", "error": "The model grok-x does not exist"}, UnknownModelError),
    # A wrong path is not a wrong model.
    (404, {"error": {"message": "Invalid URL (POST /v1/v1/chat/completions)"}}, AuthError),
    (404, b"404 page not found", AuthError),
    (404, {"detail": "Not Found"}, AuthError),
    # Content filters.
    (400, openai("The response was filtered", "content_filter"), ContentError),
    (400, openai("Content Exists Risk", "invalid_request_error"), ContentError),
    (400, {"code": "data_inspection_failed", "message": "inappropriate"}, ContentError),
    (
        400,
        openai(
            "Invalid prompt: flagged as potentially violating our usage policy", "invalid_prompt"
        ),
        ContentError,
    ),
    (
        400,
        anthropic("invalid_request_error", "Output blocked by content filtering policy"),
        ContentError,
    ),
    (403, openai("openai/x requires moderation. Your input was flagged"), ContentError),
    # Any other refusal.
    (
        400,
        openai("This model's maximum context length is 4097 tokens", "context_length_exceeded"),
        RejectedError,
    ),
    (
        400,
        openai("'temperature' is not available for this model", param="temperature"),
        RejectedError,
    ),
    (413, anthropic("request_too_large", "too large"), RejectedError),
    # An error under a 200.
    (200, openai("slow down", "rate_limit_exceeded"), RateError),
    (200, {"error": {"code": 401, "message": "No auth credentials found"}}, AuthError),
    (200, {"error": {"code": 402, "message": "no credits"}}, QuotaError),
    (200, openai("Overloaded", kind="overloaded_error"), TransientError),
    (200, openai("nobody knows"), TransientError),
    (200, openai("x must be y", kind="invalid_request_error"), RejectedError),
]


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    TABLE,
    ids=[f"{status}-{str(body)[:60]}" for status, body, _ in TABLE],
)
def test_answer_has_the_class_whose_policy_fits_it(status, body, kind):
    assert type(of(status, body)) is kind


@pytest.mark.parametrize("status", [504, 524])
def test_time_out_of_a_gateway_may_have_been_billed(status):
    assert of(status, b"").unknown


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_error_that_the_endpoint_itself_gives_was_not_billed(status):
    assert not of(status, b"").unknown


@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        (openai("Please try again in 6ms."), 0.006),
        (openai("Please try again in 1m30s. Visit"), 90.0),
        (openai("Please try again in 7m12.5s."), 432.5),
        ({"error": {"code": 429, "details": [{"retryDelay": "34s"}]}}, 34.0),
        (openai("Please try again in 99999h."), None),
        (openai("no time given"), None),
    ],
)
def test_wait_is_read_from_the_words_where_no_header_gives_it(body, seconds):
    assert of(429, body).retry_after_seconds == pytest.approx(seconds)


def test_header_wins_over_words():
    error = of(429, openai("Please try again in 20s"), {"retry-after": "3"})
    assert error.retry_after_seconds == 3


@pytest.mark.parametrize(
    ("body", "parameter"),
    [
        (openai("whatever", param="logit_bias"), "logit_bias"),
        (openai("Unrecognized request argument supplied: seed"), "seed"),
        (openai("Unsupported value: 'temperature' does not support 0"), "temperature"),
        (openai("Unknown parameter: 'min_p'."), "min_p"),
        (openai('Invalid JSON payload received. Unknown name "seed": Cannot find field.'), "seed"),
        (anthropic("invalid_request_error", "temperature: range: 0..1"), "temperature"),
        (
            anthropic("invalid_request_error", "logit_bias: Extra inputs are not permitted"),
            "logit_bias",
        ),
        (
            {
                "detail": [
                    {"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs"}
                ]
            },
            "seed",
        ),
        (openai("parameter.enable_thinking must be set to false"), "enable_thinking"),
        (openai("The parameter `top_logprobs` is required"), "top_logprobs"),
        (openai("Something is wrong with this parameter here"), None),
        (openai("Bad request"), None),
    ],
)
def test_refused_parameter_is_named(body, parameter):
    error = of(400, body)
    assert isinstance(error, RejectedError)
    assert error.parameter == parameter


@pytest.mark.parametrize(
    ("parameter", "setting"),
    [
        ("max_completion_tokens", "max_tokens"),
        ("stop_sequences", "stop"),
        ("n", "samples_per_request"),
        ("seed", "seed"),
    ],
)
def test_hint_names_the_setting_as_a_spec_spells_it(parameter, setting):
    assert f"leave {setting} out" in of(400, openai("no", param=parameter)).hint


def test_message_is_one_printable_line_of_bounded_length():
    error = of(500, openai("a\x1b[31m\nb\u202e" + "x" * 5000))
    assert "\x1b" not in error.message
    assert "\n" not in error.message
    assert len(error.message) < 500


@pytest.mark.parametrize("body", [b"[]", b"null", b"3", b'"text"', b"\xff\xfe", b"[[[[", b"{}"])
def test_odd_bodies_are_classified_by_status_alone(body):
    assert type(of(500, body)) is TransientError
