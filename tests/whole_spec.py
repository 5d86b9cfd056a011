"""A spec with a value for nearly every key, from which broken ones are made."""

WHOLE = """name = "whole"
seed = 7
tuned_from = {"their chat" = "m"}
max_failure_rate = 0.25
budget = {usd = 5, calls = 20000, tokens = 2000000}
judges = [{task = "choice", judge = "rules"}, {task = "choice", model = "anthropic:claude"}]
[endpoints.local]
provider = "openai"
base_url = "http://127.0.0.1:11434/v1"
api_key_env = "LOCAL_KEY"
concurrency = 4
requests_per_minute = 90
timeout_seconds = 60
price = {input = 0, output = 0.5}
[[targets]]
name = "llama"
model = "openai:llama3.2"
endpoint = "local"
params = {max_tokens = 16, stop = ["a"], top_p = 0.9}
extra_body = {options = {num_ctx = 2048}}
system = "Be brief."
samples_per_request = 5
[[targets]]
model = "sim:m"
tuned_from = "llama"
extra_body = {men = {kitchen = 0.1}, slope = 0.0, neither = {"0" = 0.5}, prompt_shift = {"2" = 0}}
[protocols."spatial.explicit"]
repetitions = 5
prompt = ["0", "1"]
temperature = [0, 0.5]
spaces = ["private"]
null_level = 0.02
"""
