"""What calls cost. Listed prices are compared with genai-prices' own calculation."""

import subprocess
import sys

import pytest
from genai_prices import Usage as ListUsage
from genai_prices import calc_price

from auditor.endpoints import Prices
from auditor.types import EndpointConfig, Price, Usage


def prices(**config):
    return Prices(EndpointConfig(name="e", **config))


@pytest.mark.parametrize(
    ("provider", "listed_as", "model"),
    [
        ("openai", "openai", "gpt-4o-mini"),
        ("openai-chat", "openai", "gpt-4o-mini"),
        ("anthropic", "anthropic", "claude-haiku-4-5"),
        ("deepseek", "deepseek", "deepseek-chat"),
    ],
)
@pytest.mark.parametrize("tokens", [(1000, 500), (7, 3), (150_000, 10)])
def test_a_listed_model_costs_what_the_list_says(provider, listed_as, model, tokens):
    usage = ListUsage(input_tokens=tokens[0], output_tokens=tokens[1])
    expected = calc_price(usage, model_ref=model, provider_id=listed_as).total_price
    found = prices(provider=provider).cost_usd(
        model, Usage(input_tokens=tokens[0], output_tokens=tokens[1])
    )
    assert found == pytest.approx(float(expected))


def test_long_contexts_cost_what_their_own_tier_says():
    usage = ListUsage(input_tokens=500_000, output_tokens=1000)
    listed = calc_price(usage, model_ref="claude-sonnet-4-5", provider_id="anthropic")
    found = prices(provider="anthropic").cost_usd(
        "claude-sonnet-4-5", Usage(input_tokens=500_000, output_tokens=1000)
    )
    assert found == pytest.approx(float(listed.total_price))


@pytest.mark.parametrize(
    ("config", "model"),
    [
        ({"provider": "ollama"}, "llama3.2"),
        ({"provider": "vllm"}, "gpt-4o-mini"),
        ({"provider": "lmstudio"}, "gpt-4o-mini"),
        ({"provider": "llamacpp"}, "gpt-4o-mini"),
        ({"provider": "openai", "base_url": "http://127.0.0.1:8000/v1"}, "gpt-4o-mini"),
        ({"provider": "openai"}, "no-such-model"),
        ({"provider": "no-such-provider"}, "gpt-4o-mini"),
    ],
)
def test_an_unknown_price_is_unknown_and_not_zero(config, model):
    found = prices(**config)
    assert found.unit(model) is None
    assert found.cost_usd(model, Usage(input_tokens=1, output_tokens=1)) is None


def test_a_vendor_that_the_list_knows_by_its_url_is_priced():
    own = prices(provider="openai", base_url="https://api.openai.com/v1")
    assert own.unit("gpt-4o-mini") == prices(provider="openai").unit("gpt-4o-mini")


def test_a_price_in_the_spec_wins():
    found = prices(provider="openai", price=Price(input=3.0, output=9.0))
    assert found.cost_usd("gpt-4o-mini", Usage(input_tokens=100_000, output_tokens=1000)) == (
        pytest.approx(0.3 + 0.009)
    )
    assert found.price_record()["source"] == "spec"


def test_simulated_calls_cost_nothing_unless_the_spec_gives_a_price():
    assert prices(provider="sim").cost_usd("x", Usage()) == 0.0
    priced = prices(provider="sim", price=Price(input=1.0, output=1.0))
    assert priced.cost_usd("x", Usage(input_tokens=10, output_tokens=10)) == pytest.approx(2e-5)


def test_unknown_usage_makes_an_unknown_cost():
    found = prices(provider="openai", price=Price(input=1.0, output=1.0))
    assert found.cost_usd("x", Usage(input_tokens=5)) is None


def test_the_record_names_the_lists_version_and_the_unit_prices():
    found = prices(provider="openai")
    found.unit("gpt-4o-mini")
    found.unit("no-such-model")
    record = found.price_record()
    assert record["source"].startswith("genai-prices ")
    unit = record["usd_per_million_tokens"]
    assert unit["gpt-4o-mini"] == {"input": pytest.approx(0.15), "output": pytest.approx(0.6)}
    assert unit["no-such-model"] is None


def test_importing_endpoints_loads_no_heavy_library():
    code = (
        "import sys, auditor.endpoints, auditor.providers.sim;"
        "heavy = {'genai_prices', 'aiohttp', 'openai', 'anthropic', 'scipy', 'pandas'};"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "127.1.2.3", "localhost:11434", "[::1]:8080"])
def test_a_server_on_this_machine_is_unknown_without_loading_the_list(host):
    code = (
        "import sys; from auditor.endpoints import Prices;"
        "from auditor.types import EndpointConfig;"
        f"config = EndpointConfig(name='e', provider='openai', base_url='http://{host}/v1');"
        "assert Prices(config).unit('gpt-4o-mini') is None;"
        "sys.exit('genai_prices' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
