import pytest

from auditor.errors import UsageError
from auditor.spec import check_keys, parse_spec

DEFAULTS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}

TEXT = """name = "x"
judges = [{task = "choice", model = "anthropic:judge"}]
[endpoints.groq]
provider = "openai"
base_url = "https://api.groq.com/openai/v1"
api_key_env = "GROQ_KEY"
[endpoints.ollama]
provider = "openai"
base_url = "http://127.0.0.1:11434/v1"
[endpoints.idle]
provider = "openai"
api_key_env = "IDLE_KEY"
[[targets]]
model = "openai:llama"
endpoint = "groq"
[[targets]]
model = "openai:small"
endpoint = "ollama"
[[targets]]
model = "openai:gpt"
[[targets]]
model = "sim:m"
[protocols."spatial.explicit"]
"""
ALL_KEYS = {"GROQ_KEY": "g", "OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": "a"}


def spec():
    return parse_spec(TEXT, "keys.toml")


def refused(environ, **rest) -> str:
    with pytest.raises(UsageError) as caught:
        check_keys(spec(), environ, DEFAULTS, **rest)
    assert caught.value.where == caught.value.message.partition(": ")[0]
    return caught.value.message


def test_keys_that_are_all_there_are_enough():
    check_keys(spec(), ALL_KEYS, DEFAULTS)


def test_a_key_of_an_endpoint_that_nothing_calls_is_not_asked_for():
    assert "IDLE_KEY" not in refused({})


def test_every_missing_variable_is_named_with_the_line_that_needs_it():
    assert refused({}) == (
        "keys.toml:2: judges[0].model: the environment variable ANTHROPIC_API_KEY is not set; "
        "allowed: a key in ANTHROPIC_API_KEY, or another variable in api_key_env\n"
        "keys.toml:6: endpoints.groq.api_key_env: the environment variable GROQ_KEY is not set; "
        "allowed: a key in GROQ_KEY, or another variable in api_key_env\n"
        "keys.toml:20: targets[2].model: the environment variable OPENAI_API_KEY is not set; "
        "allowed: a key in OPENAI_API_KEY, or another variable in api_key_env"
    )


@pytest.mark.parametrize("blank", ["", " ", "\n"])
def test_a_blank_key_is_none(blank):
    assert "GROQ_KEY is not set" in refused({**ALL_KEYS, "GROQ_KEY": blank})


def test_a_server_of_the_users_own_is_not_given_the_vendors_key():
    """Ollama's endpoint names no variable, so OPENAI_API_KEY is neither asked for nor sent."""
    check_keys(spec(), {}, DEFAULTS, endpoints=["ollama"])


def test_a_part_of_a_run_needs_the_keys_of_that_part():
    check_keys(spec(), {"GROQ_KEY": "g"}, DEFAULTS, endpoints=["groq", "ollama", "sim"])


def test_simulated_targets_need_no_key():
    text = 'name = "x"\n[[targets]]\nmodel = "sim:m"\n[protocols."spatial.explicit"]\n'
    check_keys(parse_spec(text, "x"), {}, {**DEFAULTS, "sim": "SIM_KEY"})
