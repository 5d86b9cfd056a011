"""A server that speaks the three wire formats truly, for tests and benchmarks.

In process::

    async with MockServer(profile="reasoning") as server:
        config = EndpointConfig(name="mock", provider="openai", base_url=server.openai_url)

As a process of its own: `python -m tests.mock_server --port 0 --latency-ms 20`; the first line
on stdout is its URL.

Answers are pure functions of the trial key in `X-Client-Request-Id`; faults and latency of the
trial key and the attempt. `server.counts` (over HTTP: GET /__counts) counts calls by trial.
"""

from tests.mock_server.answers import Question, Said, default_answer
from tests.mock_server.faults import Faults
from tests.mock_server.quirks import QUIRKS, Quirk, Raw, openai_error, raw_json
from tests.mock_server.rate_limit import Bucket
from tests.mock_server.server import CERTIFICATE, MockServer

__all__ = [
    "CERTIFICATE",
    "QUIRKS",
    "Bucket",
    "Faults",
    "MockServer",
    "Question",
    "Quirk",
    "Raw",
    "Said",
    "default_answer",
    "openai_error",
    "raw_json",
]
