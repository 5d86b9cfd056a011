"""Who works in an audit: generators, judges and the statistics agent."""

PROJECT = "bias-auditor"
"""OpenAI's agents SDK installs a package of the same name; this tells ours from it."""
