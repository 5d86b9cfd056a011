"""Each mistake is refused with file, line, key, value and what is allowed."""

import re

import pytest

from auditor import protocols
from auditor.errors import UsageError
from auditor.spec import load_spec, parse_spec
from auditor.user_files import MOST_BYTES

GOOD = """name = "good"
[endpoints.local]
provider = "openai"
base_url = "http://127.0.0.1:1/v1"
[[targets]]
name = "one"
model = "openai:m"
endpoint = "local"
[[targets]]
name = "two"
model = "sim:m"
extra_body = {men = 0.5}
[protocols."spatial.explicit"]
repetitions = 3
"""

LINE = re.compile(r"bad\.toml:\d+: .+; allowed: .+")


def refused(text: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        parse_spec(text, "bad.toml")
    assert caught.value.exit_code == 2
    for line in caught.value.message.split("\n"):
        assert LINE.fullmatch(line), line
    return caught.value


def with_line(number: int, line: str) -> str:
    """The good spec with one line replaced."""
    lines = GOOD.splitlines()
    lines[number - 1] = line
    return "\n".join(lines)


def after_line(number: int, line: str) -> str:
    lines = GOOD.splitlines()
    lines.insert(number, line)
    return "\n".join(lines)


def test_the_spec_that_these_tests_spoil_is_sound():
    assert len(parse_spec(GOOD, "good.toml").targets) == 2


TOP = [
    (
        "seeds = 1",
        "seeds: unknown key, close to seed; allowed: name, seed, max_failure_rate, budget",
    ),
    ('seed = "1"', 'seed: value "1"; allowed: a whole number from 0'),
    ("seed = 1.0", "seed: value 1.0; allowed: a whole number from 0"),
    ("seed = true", "seed: value true; allowed: a whole number from 0"),
    ("seed = -1", "seed: value -1; allowed: a whole number from 0"),
    ("seed = 9223372036854775808", "seed: value 9223372036854775808; allowed: a whole number"),
    ("max_failure_rate = 1.5", "max_failure_rate: value 1.5; allowed: a number from 0 to 1"),
    ("max_failure_rate = -0.1", "max_failure_rate: value -0.1; allowed: a number from 0 to 1"),
    ("max_failure_rate = nan", "max_failure_rate: value nan; allowed: a number from 0 to 1"),
    ("budget = 5", "budget: value 5; allowed: a table of usd, calls, tokens, each optional"),
    ("budget = {usd = 0}", "budget.usd: value 0; allowed: US dollars, a number above 0"),
    ("budget = {usd = inf}", "budget.usd: value inf; allowed: US dollars, a number above 0"),
    ("budget = {calls = 0}", "budget.calls: value 0; allowed: a whole number from 1"),
    ("budget = {tokens = -5}", "budget.tokens: value -5; allowed: a whole number from 1"),
    ("budget = {tokens = 1.5}", "budget.tokens: value 1.5; allowed: a whole number from 1"),
    ("budget = {eur = 5}", "budget.eur: unknown key; allowed: usd, calls, tokens"),
    ("budget.call = 5", "budget.call: unknown key, close to calls; allowed: usd, calls, tokens"),
    ("judges = 1", "judges: value 1; allowed: a list of tables"),
    ('judges = ["rules"]', 'judges[0]: value "rules"; allowed: a list of tables'),
    ('judges = [{judge = "rules"}]', "judges[0].task: missing; allowed: a task of the spec's"),
    (
        'judges = [{task = "chioce", judge = "rules"}]',
        'judges[0].task: value "chioce"; allowed: choice',
    ),
    (
        'judges = [{task = "choice"}]',
        "judges[0]: neither judge nor model nor command; allowed: judge =",
    ),
    (
        'judges = [{task = "choice", judge = "rules", model = "sim:m"}]',
        "judges[0]: both judge and model; allowed: judge =",
    ),
    (
        'judges = [{task = "choice", judge = "rules", extra_body = {}}]',
        "judges[0].extra_body: at an offline judge; allowed: only beside model",
    ),
    (
        'judges = [{task = "choice", model = "opnai:m"}]',
        'judges[0].model: value "opnai:m" (did you mean "openai:m"?); allowed: "provider:model"',
    ),
    (
        'judges = [{task = "choice", judge = "a"}, {task = "choice", judge = "b", name = "a"}]',
        'judges[1].name: value "a" also names the judge of choice in line 2; allowed: a name',
    ),
    (
        'judges = [{task = "choice", judge = "a"}, {task = "choice", judge = "a", name = "b"}]',
        "judges[1]: the same judge of choice as in line 2; allowed: judges that differ",
    ),
    ("endpoints.a = 1", "endpoints.a: value 1; allowed: tables [endpoints.NAME]"),
]


@pytest.mark.parametrize(("line", "said"), TOP, ids=[line for line, _ in TOP])
def test_a_mistake_at_the_top_is_refused_at_its_line(line, said):
    error = refused(after_line(1, line))
    assert error.message.startswith(f"bad.toml:2: {said}")
    assert "\n" not in error.message
    assert error.where == "bad.toml:2"


@pytest.mark.parametrize(
    "name", ["", "a/b", "../x", ".hidden", "-x", "a b", "é", "x" * 101, "a\\n"]
)
def test_a_name_that_no_file_should_have_is_refused(name):
    error = refused(with_line(1, f'name = "{name}"'))
    assert error.message.startswith("bad.toml:1: name: value ")
    assert "letters, digits, . _ -" in error.message


ENDPOINT = [
    ('provider = "opnai"', 'provider: value "opnai"; allowed: openai, openai-chat, anthropic, sim'),
    ("provider = 1", "provider: value 1; allowed: a provider"),
    ("", "provider: missing; allowed: a provider"),
]


@pytest.mark.parametrize(("line", "said"), ENDPOINT, ids=[line for line, _ in ENDPOINT])
def test_an_endpoints_provider_must_be_a_known_one(line, said):
    number = 3 if line else 2
    error = refused(with_line(3, line))
    assert f"bad.toml:{number}: endpoints.local.{said}" in error.message


LIMITS = [
    ("concurrency = 0", "concurrency: value 0; allowed: a whole number from 1 to 10000"),
    ("requests_per_minute = 0", "requests_per_minute: value 0; allowed: a number above 0"),
    ("tokens_per_minute = -1", "tokens_per_minute: value -1; allowed: a number above 0"),
    ("timeout_seconds = inf", "timeout_seconds: value inf; allowed: a number above 0"),
    ('client = "requests"', 'client: value "requests"; allowed: "http" or "sdk"'),
    ("price = 3", "price: value 3; allowed: a table of input and output"),
    ("price = {input = 3}", "price.output: missing; allowed: US dollars for a million tokens"),
    ("price = {input = -3, output = 0}", "price.input: value -3; allowed: US dollars for"),
    ("rpm = 3", "rpm: unknown key; allowed: provider, base_url, api_key_env, concurrency"),
]


@pytest.mark.parametrize(("line", "said"), LIMITS, ids=[line for line, _ in LIMITS])
def test_an_endpoints_limits_must_make_sense(line, said):
    assert refused(after_line(4, line)).message.startswith(f"bad.toml:5: endpoints.local.{said}")


TARGET = [
    (7, "", 'bad.toml:5: targets[0].model: missing; allowed: "provider:model"'),
    (7, 'modle = "openai:m"', "bad.toml:7: targets[0].modle: unknown key, close to model; allow"),
    (7, "model = 4", 'bad.toml:7: targets[0].model: value 4; allowed: "provider:model"'),
    (7, 'model = "gpt-4o"', 'bad.toml:7: targets[0].model: value "gpt-4o"; allowed: "provider:'),
    (7, 'model = "openai:"', 'bad.toml:7: targets[0].model: value "openai:"; allowed: "provid'),
    (
        7,
        'model = "antropic:m"',
        'bad.toml:7: targets[0].model: value "antropic:m" (did you mean "anthropic:m"?); allowed',
    ),
    (
        7,
        'model = "anthropic:m"',
        'bad.toml:8: targets[0].endpoint: value "local" is of provider openai, the model of anth',
    ),
    (
        8,
        'endpoint = "lokal"',
        'bad.toml:8: targets[0].endpoint: value "lokal" is not defined (did you mean "local"?); '
        "allowed: local",
    ),
    (8, "endpoint = 1", "bad.toml:8: targets[0].endpoint: value 1; allowed: the name of an"),
    (6, 'name = "two"', 'bad.toml:10: targets[1].name: value "two" is also the name of the target'),
    (6, 'name = "*"', 'bad.toml:6: targets[0].name: value "*" (it could not be shown); allowed'),
    (6, 'name = ""', 'bad.toml:6: targets[0].name: value ""; allowed: 1 to 100 printable'),
    (6, 'name = "a\\u001b[2J"', 'bad.toml:6: targets[0].name: value "a\\u001b[2J" (it could'),
    (
        12,
        "extra_body = {man = 1}",
        "bad.toml:12: targets[1].extra_body.man: no part of a plant (did you mean 'men'?); allow",
    ),
    (
        12,
        "extra_body.men = {mall = 2}",
        "bad.toml:12: targets[1].extra_body.men.mall: value 2; allowed: a number from 0 to 1",
    ),
    (12, "extra_body = 3", "bad.toml:12: targets[1].extra_body: value not shown; allowed: a table"),
    (
        12,
        "extra_body = {men = 2020-01-01}",
        "bad.toml:12: targets[1].extra_body: it holds a date or a time; allowed: a table of texts",
    ),
    (12, "extra_body = {men = nan}", "bad.toml:12: targets[1].extra_body: it holds nan; allowed"),
]


@pytest.mark.parametrize(
    ("number", "line", "said"), TARGET, ids=[line or "no model" for _, line, _ in TARGET]
)
def test_a_targets_mistake_is_refused_at_its_line(number, line, said):
    assert said in refused(with_line(number, line)).message


MORE = [
    ("samples_per_request = 0", "samples_per_request: value 0; allowed: a whole number from 1"),
    ("samples_per_request = 1.5", "samples_per_request: value 1.5; allowed: a whole number from"),
    ('api = "responses"', 'api: value "responses"; allowed: "chat", "completions" or "reward"'),
    ('system = ""', 'system: value ""; allowed: a text that is not empty'),
    ("variant = 3", "variant: value 3; allowed: a text of at most 200 characters"),
    ("temperature = 1", "temperature: unknown key; allowed: name, model, endpoint, api, params"),
    ("params = []", "params: value []; allowed: a table of sampling parameters"),
    ("params = {max_tokens = 0}", "params.max_tokens: value 0; allowed: a whole number from 1"),
    ("params = {top_p = 0}", "params.top_p: value 0; allowed: a number above 0, up to 1"),
    ("params = {stop = 1}", "params.stop: value 1; allowed: a text or a list of texts"),
    ("params = {seed = 1}", "params.seed: value 1; allowed: true: every trial"),
    (
        "params = {temperature = 0.7}",
        "params.temperature: value 0.7, but temperature is a factor of spatial.explicit; "
        'allowed: temperature in [protocols."spatial.explicit"] only',
    ),
    (
        "extra_body = {temperature = 0.7}",
        "extra_body.temperature: a sampling parameter; allowed: temperature in params",
    ),
    (
        "extra_body = {n = 4}",
        "extra_body.n: a field that the program sets; allowed: any other field of the endpoint",
    ),
]


@pytest.mark.parametrize(("line", "said"), MORE, ids=[line for line, _ in MORE])
def test_what_a_target_sends_is_checked(line, said):
    assert refused(after_line(7, line)).message.startswith(f"bad.toml:8: targets[0].{said}")


def test_completions_are_refused_where_the_provider_has_none():
    text = GOOD + '[[targets]]\nmodel = "anthropic:m"\napi = "completions"\n'
    assert (
        'bad.toml:17: targets[2].api: value "completions" with provider anthropic'
        in refused(text).message
    )


def test_rewards_are_refused_where_the_provider_scores_nothing():
    text = GOOD + '[[targets]]\nmodel = "anthropic:m"\napi = "reward"\n'
    assert (
        'bad.toml:17: targets[2].api: value "reward" with provider anthropic; allowed: "reward" '
        "where a provider scores answers" in refused(text).message
    )


def test_no_reward_model_takes_parameters_of_sampling():
    text = GOOD + '[[targets]]\nmodel = "sim:r"\napi = "reward"\nparams = {temperature = 0.5}\n'
    assert (
        "bad.toml:18: targets[2].params.temperature: a reward model samples nothing;"
        " allowed: no params" in refused(text).message
    )


PROTOCOL = [
    ("repetitions = 0", "repetitions: value 0; allowed: a whole number from 1"),
    ("repetition = 3", "repetition: unknown key, close to repetitions; allowed: repetitions, prom"),
    ('prompt = ["1", "6"]', 'prompt[1]: value "6"; allowed: a list of prompts "0" to "5"'),
    ("prompt = []", 'prompt: value []; allowed: a list of prompts "0" to "5"'),
    ('prompt = ["1", "1"]', 'prompt: value ["1", "1"] (a level is named twice); allowed: a list'),
    ("temperature = [3]", "temperature[0]: value 3; allowed: a list of numbers from 0 to 2"),
    ("temperature = 1.0", "temperature: value 1.0; allowed: a list of numbers from 0 to 2"),
    ('spaces = ["kichen"]', "spaces: no space 'kichen' (did you mean 'kitchen'?); allowed: "),
]


@pytest.mark.parametrize(("line", "said"), PROTOCOL, ids=[line for line, _ in PROTOCOL])
def test_a_protocols_parameters_are_checked_by_the_protocol(line, said):
    assert refused(with_line(14, line)).message.startswith(
        f'bad.toml:14: protocols."spatial.explicit".{said}'
    )


def test_an_unknown_protocol_is_refused_with_a_close_one():
    error = refused(GOOD + '[protocols."spatial.explict"]\n')
    assert error.message.startswith(
        'bad.toml:15: protocols."spatial.explict": unknown protocol (did you mean '
        '"spatial.explicit"?); allowed: "spatial.explicit"'
    )


def test_a_protocol_without_quotes_is_told_to_have_them():
    error = refused(with_line(13, "[protocols.spatial.explicit]"))
    assert 'bad.toml:13: protocols.spatial: without quotes; write [protocols."spatial.exp' in (
        error.message
    )


def test_targets_with_equal_requests_are_refused_whatever_their_endpoint():
    text = GOOD + (
        '[endpoints.other]\nprovider = "openai"\nbase_url = "http://127.0.0.1:2/v1"\n'
        '[[targets]]\nname = "three"\nmodel = "openai-chat:m"\nendpoint = "other"\n'
    )
    assert refused(text).message == (
        'bad.toml:18: targets[2]: the same requests as target "one" in line 5; allowed: targets '
        "that differ in model, api, params, extra_body, system or variant"
    )


def test_names_of_one_look_are_refused_however_their_characters_are_composed():
    """A letter with its accent in one code point, and the same in two (NFC and NFD)."""
    text = GOOD.replace('"one"', '"Ren\u00e9"').replace('"two"', '"Rene\u0301"')
    assert refused(text).message == (
        'bad.toml:10: targets[1].name: value "Rene\u0301" looks like the name of the target in line'
        " 5: the same characters, otherwise composed (Unicode normal forms); allowed: a name of its"
        " own"
    )
    judges = (
        'judges = [{task = "choice", judge = "rules", name = "Ren\u00e9"}, {task = "choice",'
        ' model = "sim:m", name = "Rene\u0301"}]\n'
    )
    assert "looks like the name of the judge of choice in line 1: the same" in (
        refused(judges + GOOD).message
    )


def test_two_endpoints_for_one_server_are_refused():
    text = GOOD + '[endpoints.twin]\nprovider = "openai"\nbase_url = "http://127.0.0.1:1/v1/"\n'
    assert refused(text).message == (
        "bad.toml:15: endpoints.twin: the same provider, base_url and key as endpoints.local in "
        "line 2; allowed: one table for a server, which holds its limits"
    )


def test_a_model_without_an_endpoint_may_not_double_one_that_is_there():
    text = with_line(4, "").replace('endpoint = "local"', "")
    assert refused(text).message == (
        "bad.toml:5: targets[0].endpoint: missing, and endpoints.local is the server that it would "
        'be; allowed: endpoint = "local"'
    )


def test_the_endpoint_that_is_named_after_a_provider_must_speak_for_it():
    text = GOOD + '[endpoints.anthropic]\nprovider = "openai"\n[[targets]]\nmodel = "anthropic:m"\n'
    assert 'targets[2].endpoint: value "anthropic" is of provider openai' in refused(text).message


def test_nothing_to_run_is_refused():
    assert refused('name = "x"').message == (
        'bad.toml:1: protocols: missing; allowed: a table [protocols."NAME"] of '
        f"{', '.join(protocols.names())}\n"
        "bad.toml:1: targets: missing; allowed: at least one table [[targets]]"
    )


def test_all_mistakes_of_a_spec_come_at_once_in_the_order_of_its_lines():
    text = (
        GOOD.replace('"good"', '"a/b"')
        .replace("repetitions = 3", "repetitions = 0")
        .replace("men = 0.5", "men = 5")
        .replace('endpoint = "local"', 'endpoint = "lokal"')
    )
    lines = [line.split(" ")[0] for line in refused(text).message.split("\n")]
    assert lines == [f"bad.toml:{number}:" for number in (1, 8, 12, 14)]


SYNTAX = [
    ('name = "x', 1, "not TOML: "),
    ("name = x", 1, "not TOML: Invalid value at column 8"),
    ('name = "a"\n\nname = "b"', 3, "not TOML: Cannot overwrite a value"),
    ("a = 1\n[a]\nb = 2", 2, "not TOML: "),
    ('name = "x"\nlist = [1,', 2, "not TOML: Invalid value at the end of the file"),
    ("x = \x00", 1, "not TOML: "),
    ("\ufeffname = 'x'", 1, "begins with a byte order mark; allowed: UTF-8 without one"),
    ("a = 1\nb = '\ud800'", 2, "holds a lone surrogate; allowed: UTF-8 text"),
    ("x = " + "[" * 5000, 1, "values nest too deeply; allowed: at most 64 levels"),
    ("x = " + "[" * 65 + "]" * 65, 1, "values nest too deeply; allowed: at most 64 levels"),
    ("x" + ".y" * 999 + " = 1", 1, "values nest too deeply; allowed: at most 64 levels"),
    ("seed = 1" + "0" * 5000, 1, "holds a value that is none"),
]


@pytest.mark.parametrize(("text", "line", "said"), SYNTAX, ids=range(len(SYNTAX)))
def test_what_is_no_toml_is_refused_at_its_line(text, line, said):
    error = refused(text)
    assert error.message.startswith(f"bad.toml:{line}: {said}")
    assert error.where == f"bad.toml:{line}"


SECRET = "sk-9f8e7d6c5b4a"
LEAKS = [
    f'base_url = "https://me:{SECRET}@host/v1"',
    f'base_url = "me:{SECRET}@host"',
    f'base_url = "https://host/v1?api_key={SECRET}"',
    f'base_url = "https://[::1/{SECRET}@"',
    f'base_url = "https://me:{SECRET}\u2100@host/v1"',
    f'base_url = ["https://me:{SECRET}@host/v1"]',
    f'api_key = "{SECRET}"',
    f'api_key_env = "{SECRET}"',
    f'headers = {{Authorization = "Bearer {SECRET}"}}',
]


@pytest.mark.parametrize("line", LEAKS, ids=range(len(LEAKS)))
def test_a_credential_in_an_endpoint_is_refused_and_not_repeated(line):
    text = after_line(3, line) if "base_url" not in line else with_line(4, line)
    error = refused(text)
    assert "bad.toml:4: endpoints.local." in error.message
    assert SECRET not in f"{error.message}{error.where}{error.hint}{error.args}"
    assert error.__cause__ is None


@pytest.mark.parametrize("key", ["api_key", "Authorization", "X-API-Key"])
def test_a_credential_in_a_body_is_refused_and_not_repeated(key):
    error = refused(after_line(8, f'extra_body = {{{key} = "{SECRET}"}}'))
    assert error.message == (
        f"bad.toml:9: targets[0].extra_body.{key}: value not shown; allowed: no key in a spec; "
        "name its variable in api_key_env"
    )


@pytest.mark.parametrize(
    "url", ["ftp://host/v1", "host:80/v1", "http://", "http://h:99999999/", "http://h/ v", "/v1"]
)
def test_a_base_url_that_is_none_is_refused(url):
    error = refused(with_line(4, f'base_url = "{url}"'))
    assert error.message == (
        f'bad.toml:4: endpoints.local.base_url: value "{url}"; allowed: an http or https URL '
        "without user, password or key in it"
    )


@pytest.mark.parametrize(
    "url", ["https://x.openai.azure.com/openai?api-version=2024-10-21", "http://[::1]:8000/v1"]
)
def test_a_base_url_may_hold_a_version_or_a_bare_address(url):
    spec = parse_spec(with_line(4, f'base_url = "{url}"'), "good.toml")
    assert spec.endpoints["local"].base_url == url


class TestFile:
    def refused(self, path) -> UsageError:
        with pytest.raises(UsageError) as caught:
            load_spec(path)
        assert caught.value.message.startswith(str(path))
        assert "; allowed: " in caught.value.message
        return caught.value

    def test_that_is_not_there(self, tmp_path):
        assert "no such file" in self.refused(tmp_path / "none.toml").message

    def test_that_is_a_directory(self, tmp_path):
        assert "a directory" in self.refused(tmp_path).message

    def test_that_never_ends(self):
        said = "/dev/zero: cannot be read (neither a regular file nor a pipe)"
        assert said in self.refused("/dev/zero").message

    def test_that_is_longer_than_any_spec(self, tmp_path):
        with (tmp_path / "long.toml").open("wb") as sparse:
            sparse.truncate(MOST_BYTES + 1)
        assert "cannot be read (longer than 32 MiB)" in self.refused(tmp_path / "long.toml").message

    def test_below_another_file(self, tmp_path):
        (tmp_path / "file").write_text("")
        assert "cannot be read" in self.refused(tmp_path / "file" / "spec.toml").message

    def test_that_is_not_utf_8(self, tmp_path):
        path = tmp_path / "latin.toml"
        path.write_bytes('name = "x"\n# caf\xe9\n'.encode("latin-1"))
        error = self.refused(path)
        assert error.message == f"{path}:2: byte 0xe9 is not UTF-8; allowed: UTF-8 text"

    def test_that_is_utf_16(self, tmp_path):
        path = tmp_path / "wide.toml"
        path.write_bytes('name = "x"\n'.encode("utf-16"))
        assert "byte 0xff is not UTF-8" in self.refused(path).message

    def test_that_begins_with_a_byte_order_mark(self, tmp_path):
        path = tmp_path / "mark.toml"
        path.write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
        assert "byte order mark" in self.refused(path).message

    def test_that_is_a_store(self, tmp_path):
        path = tmp_path / "demo.db"
        path.write_bytes(b"SQLite format 3\x00" + bytes(84))
        assert self.refused(path).hint == "a store goes on with `auditor resume`"

    def test_that_is_empty(self, tmp_path):
        path = tmp_path / "empty.toml"
        path.write_text("")
        assert f"{path}:1: name: missing; allowed: letters" in self.refused(path).message

    def test_whose_name_would_act_on_a_terminal(self):
        with pytest.raises(UsageError) as caught:
            load_spec("no\x1b[2Jsuch.toml")
        assert "\x1b" not in f"{caught.value.message}{caught.value.where}"

    def test_whose_name_holds_nul(self):
        with pytest.raises(UsageError, match="cannot be read"):
            load_spec("a\x00b")
