import pytest

from auditor.errors import UsageError
from auditor.providers.local import library
from auditor.spec import check_local_models, parse_spec

SPEC = """name = "tiny"
{endpoint}
[[targets]]
name = "t"
model = "local:models/tiny"
{target}
[protocols."spatial.tracing"]
"""


def parsed(target="", endpoint=""):
    return parse_spec(SPEC.format(target=target, endpoint=endpoint), "s.toml")


@pytest.mark.parametrize("api", ["chat", "completions", "reward"])
def test_a_local_model_has_three_apis_and_needs_no_endpoint(api):
    spec = parsed(f'api = "{api}"\nextra_body = {{device = "cpu", dtype = "float16"}}')
    assert spec.targets[0].request.model == "models/tiny"
    assert spec.endpoints["local"].base_url is None


def test_an_endpoint_may_limit_how_many_go_together():
    spec = parsed('endpoint = "disk"', '[endpoints.disk]\nprovider = "local"\nconcurrency = 1')
    assert spec.endpoints["disk"].concurrency == 1


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ('extra_body = {device = "gpu"}', 'extra_body.device: value "gpu"'),
        ('extra_body = {dtype = "int4"}', 'allowed: "float32", "bfloat16", "float16"'),
        ("extra_body = {dtype = 16}", "extra_body.dtype: value"),
        (
            "extra_body = {trust_remote_code = true}",
            "extra_body.trust_remote_code: no setting of a local model",
        ),
        ('params = {reasoning_effort = "low"}', "no parameter of a local model"),
        (
            'api = "reward"\nparams = {temperature = 0.5}',
            "params.temperature: a reward model samples nothing",
        ),
    ],
)
def test_what_a_local_model_does_not_take_is_said_with_its_line(target, said):
    with pytest.raises(UsageError) as caught:
        parsed(target)
    assert said in caught.value.message
    assert caught.value.message.startswith("s.toml:")


@pytest.mark.parametrize(
    "line",
    [
        'base_url = "http://127.0.0.1:1/v1"',
        'api_key_env = "KEY"',
        'client = "sdk"',
        "timeout_seconds = 9",
    ],
)
def test_an_endpoint_in_this_process_is_no_server(line):
    with pytest.raises(UsageError, match="provider local"):
        parsed('endpoint = "disk"', f'[endpoints.disk]\nprovider = "local"\n{line}')


def test_models_that_are_not_there_are_said_with_their_lines(monkeypatch, tmp_path):
    monkeypatch.setattr(library, "find_spec", lambda name: object())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models" / "tiny").mkdir(parents=True)
    spec = parsed()
    with pytest.raises(UsageError) as caught:
        check_local_models(spec, spec.targets, spec.judges)
    assert caught.value.message.startswith(
        "s.toml:5: targets[0].model: local model models/tiny: no config.json in this folder"
    )


def test_without_the_libraries_no_folder_is_looked_at(monkeypatch):
    monkeypatch.setattr(library, "find_spec", lambda name: None)
    spec = parsed()
    with pytest.raises(UsageError, match="are not installed") as caught:
        check_local_models(spec, spec.targets, spec.judges)
    assert caught.value.hint == "pip install 'bias-auditor[local]'"
    check_local_models(spec, [], [])
