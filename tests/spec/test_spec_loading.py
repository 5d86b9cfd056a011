from pathlib import Path

import pytest

import rubrics
from auditor.spec import Budget, Judge, Target, load_spec, parse_spec
from auditor.types import EndpointConfig, Price, TargetRequest

RUNS = Path(__file__).parents[2] / "runs"

SMALL = """
name = "small"
[[targets]]
name = "one"
model = "sim:one"
[protocols."spatial.explicit"]
"""

FULL = """
name = "demo-1.2_x"
seed = 7
max_failure_rate = 0.25
budget = {usd = 5, calls = 20000, tokens = 2000000}
judges = [
  {task = "choice", judge = "rules"},
  {task = "choice", name = "sonnet", model = "anthropic:claude", params = {max_tokens = 8}},
]

[endpoints.local]
provider = "openai"
base_url = "http://127.0.0.1:11434/v1"
api_key_env = "LOCAL_KEY"
concurrency = 4
requests_per_minute = 90
tokens_per_minute = 1e5
timeout_seconds = 30
client = "sdk"
price = {input = 0, output = 0.5}

[[targets]]
name = "llama"
model = "openai-chat:llama3.2:1b"
endpoint = "local"
api = "completions"
params = {max_tokens = 16, stop = "\\n", top_p = 0.9}
extra_body = {keep_alive = "5m", options = {num_ctx = 2048}, list = [1, 2.5, true]}
system = "Answer briefly."
variant = "Q4"
samples_per_request = 5

[[targets]]
model = "openai:gpt"

[protocols."spatial.explicit"]
repetitions = 5
prompt = ["0", "1"]
temperature = [0, 0.5]
spaces = "private"
null_level = 0.02
"""


def test_every_table_of_the_contract_is_read():
    spec = parse_spec(FULL, "full.toml")
    assert (spec.name, spec.seed, spec.max_failure_rate) == ("demo-1.2_x", 7, 0.25)
    assert spec.budget == Budget(usd=5.0, calls=20000, tokens=2000000)
    assert spec.endpoints["local"] == EndpointConfig(
        name="local",
        provider="openai",
        base_url="http://127.0.0.1:11434/v1",
        api_key_env="LOCAL_KEY",
        concurrency=4,
        requests_per_minute=90.0,
        tokens_per_minute=100000.0,
        timeout_seconds=30.0,
        client="sdk",
        price=Price(input=0.0, output=0.5),
    )
    assert spec.targets[0] == Target(
        name="llama",
        endpoint="local",
        samples_per_request=5,
        request=TargetRequest(
            provider="openai",
            model="llama3.2:1b",
            api="completions",
            params={"max_tokens": 16, "stop": "\n", "top_p": 0.9},
            extra_body={
                "keep_alive": "5m",
                "options": {"num_ctx": 2048},
                "list": [1, 2.5, True],
            },
            system="Answer briefly.",
            variant="Q4",
        ),
    )
    assert spec.judges == (
        Judge(task="choice", name="rules", offline="rules"),
        Judge(
            task="choice",
            name="sonnet",
            provider="anthropic",
            model="claude",
            endpoint="anthropic",
            params={"max_tokens": 8},
        ),
    )
    assert spec.protocols["spatial.explicit"].model_dump() == {
        "repetitions": 5,
        "prompt": ("0", "1"),
        "temperature": (0.0, 0.5),
        "crossed": True,
        "spaces": ("private",),
        "null_level": 0.02,
    }
    assert (spec.text, spec.source) == (FULL, "full.toml")


def test_a_small_spec_has_the_defaults():
    spec = parse_spec(SMALL, "small.toml")
    assert (spec.seed, spec.max_failure_rate, spec.judges) == (1, 0.0, ())
    assert spec.budget.limits == {}
    assert spec.protocols["spatial.explicit"].repetitions == 30
    assert spec.targets[0].request == TargetRequest(provider="sim", model="one")
    assert spec.targets[0].samples_per_request == 1


def test_the_budget_names_only_the_limits_that_are_set():
    assert parse_spec("budget.calls = 3" + SMALL, "x").budget.limits == {"calls": 3}


def test_a_model_without_an_endpoint_calls_the_one_named_after_its_provider():
    spec = parse_spec(FULL, "full.toml")
    assert spec.targets[1].endpoint == "openai"
    assert spec.endpoints["openai"] == EndpointConfig(name="openai", provider="openai")
    assert set(spec.endpoints) == {"local", "openai", "anthropic"}


@pytest.mark.parametrize(
    ("model", "table", "calls"),
    [
        ("openai:x", "", 16),
        ("openai:x", '[endpoints.openai]\nprovider = "openai"\n', 16),
        ("sim:x", "", 256),
        ("sim:x", '[endpoints.sim]\nprovider = "sim"\n', 256),
        ("sim:x", '[endpoints.sim]\nprovider = "sim"\nconcurrency = 16\n', 16),
    ],
)
def test_a_simulated_model_is_asked_more_at_once_by_default(model, table, calls):
    """Nothing is sent that could be too much, and commits are larger."""
    text = f'name = "x"\n[[targets]]\nname = "x"\nmodel = "{model}"\n[protocols.stories]\n{table}'
    (config,) = parse_spec(text, "x").endpoints.values()
    assert config.concurrency == calls


def test_a_table_named_after_the_provider_is_the_endpoint_of_models_without_one():
    text = SMALL.replace("sim:one", "openai:gpt")
    spec = parse_spec(text + '[endpoints.openai]\nprovider = "openai"\nconcurrency = 3\n', "x")
    assert spec.endpoints[spec.targets[0].endpoint].concurrency == 3


def test_a_target_without_a_name_goes_by_its_model():
    assert parse_spec(FULL, "full.toml").targets[1].name == "gpt"


def test_both_spellings_of_openai_make_the_same_request():
    one, other = (
        parse_spec(SMALL.replace("sim:one", f"{spelling}:gpt"), "x").targets[0]
        for spelling in ("openai", "openai-chat")
    )
    assert one.request.key == other.request.key


def test_a_run_is_simulated_when_all_of_its_targets_are():
    second = '[[targets]]\nmodel = "openai:gpt"\n'
    assert parse_spec(SMALL, "x").simulated
    mixed = parse_spec(SMALL + second, "x")
    assert not mixed.simulated
    assert [target.simulated for target in mixed.targets] == [True, False]


def test_endpoints_that_nothing_calls_are_known_and_not_used():
    spec = parse_spec(SMALL + '[endpoints.idle]\nprovider = "anthropic"\n', "x")
    assert set(spec.endpoints) == {"idle", "sim"}
    assert spec.used_endpoints == ("sim",)
    assert parse_spec(FULL, "x").used_endpoints == ("local", "openai", "anthropic")


def test_targets_that_differ_in_their_variant_are_two():
    second = '[[targets]]\nname = "two"\nmodel = "sim:one"\nvariant = "tuesday"\n'
    assert len(parse_spec(SMALL + second, "x").targets) == 2


def test_a_spec_for_an_import_needs_no_targets():
    spec = parse_spec('name = "x"\n[protocols."spatial.explicit"]\n', "x", needs_targets=False)
    assert spec.targets == ()
    assert not spec.simulated


def test_a_resumed_run_reads_the_rubrics_of_its_store():
    stored = {
        path: rubrics.read(path).replace("kitchen", "scullery")
        for path in ("spatial/spaces.csv", "spatial/prompts.toml")
    }
    text = SMALL + 'spaces = ["scullery"]\n'
    spec = parse_spec(text, "x", materials_of=lambda protocol: stored)
    assert spec.protocols["spatial.explicit"].spaces == ("scullery",)


def test_a_caller_may_know_other_providers():
    spec = parse_spec(SMALL.replace("sim:", "ours:"), "x", providers={"ours": "own"})
    assert spec.targets[0].request.provider == "own"


def test_a_simulated_target_may_set_its_latency_beside_the_plant():
    text = SMALL.replace('"sim:one"', '"sim:one"\nextra_body = {men = 0.2, latency_seconds = 0.1}')
    assert parse_spec(text, "x").targets[0].request.extra_body["latency_seconds"] == 0.1


@pytest.mark.parametrize("path", sorted(RUNS.glob("*.toml")), ids=lambda path: path.name)
def test_every_ready_spec_is_sound_and_named_after_its_file(path):
    assert load_spec(path).name == path.stem


def test_the_demo_plans_1860_trials_for_each_of_two_simulated_targets():
    spec = load_spec(RUNS / "demo.toml")
    assert spec.simulated
    assert len(spec.targets) == 2
    assert spec.protocols["spatial.explicit"].repetitions * 62 == 1860
    biased, fair = (target.request.extra_body for target in spec.targets)
    assert biased["spatial.explicit"]["slope"] > 0
    assert "slope" not in fair["spatial.explicit"]


def test_windows_line_ends_are_kept_in_the_text_and_read_as_line_ends(tmp_path):
    path = tmp_path / "windows.toml"
    path.write_bytes(SMALL.replace("\n", "\r\n").encode())
    assert load_spec(path).text == SMALL.replace("\n", "\r\n")
