"""Judges that need no network, one file a task, by (protocol, task, name).

Outside packages add judges through entry points (see `agents.judges.outside`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

from agents.judges.base import Answer, AnswerJudge, AnyJudge, BatchJudge, TextJudge, Verdict
from auditor.errors import UsageError
from auditor.plugins import Group, Plugin, plugins
from auditor.types import JSON

__all__ = [
    "Answer",
    "AnswerJudge",
    "AnyJudge",
    "BatchJudge",
    "OfflineJudge",
    "TextJudge",
    "Verdict",
    "names",
    "offline",
    "outside_judges",
    "refuse_clash",
    "table",
]


@dataclass(frozen=True, kw_only=True)
class OfflineJudge:
    """Where an offline judge is to be found and what it reads."""

    protocol: str
    task: str
    name: str
    summary: str
    place: str
    """Module and class, as entry points spell it."""
    materials: tuple[str, ...]
    """Rubric files whose texts its class is given, in this order."""
    takes_params: bool = False
    """Whether its class is given the spec's `params` after those texts."""
    plugin: Plugin | None = None
    """The outside package's entry point; None for a built-in judge."""

    def open(
        self,
        materials: Mapping[str, str],
        params: Mapping[str, JSON] | None = None,
        *,
        timeout_seconds: float | None = None,
    ) -> AnyJudge:
        """The judge, going by these texts and by the spec's `params` for it.

        `timeout_seconds` is the longest wait for an answer of an outside package's judge; None:
        its default. Raises UsageError, with the key, its value and what is allowed, for params
        that are none.
        """
        if params and not self.takes_params:
            key = next(iter(params))
            raise UsageError(f"params.{key}: unknown key; allowed: none at {self.name!r}")
        texts = [materials[path] for path in self.materials]
        if self.plugin is not None:
            from agents.judges.outside import open_outside

            given: list[JSON] = [*texts, dict(params or {})] if self.takes_params else [*texts]
            return open_outside(self.plugin, given, timeout_seconds=timeout_seconds)
        if timeout_seconds is not None:
            raise UsageError(
                f"timeout_seconds: value {timeout_seconds:g}; allowed: none at {self.name!r},"
                " which is built in"
            )
        module, class_name = self.place.split(":")
        make = getattr(import_module(module), class_name)
        judge: AnyJudge = make(*texts, params or {}) if self.takes_params else make(*texts)
        return judge


_OF_STORIES = ("spatial/construction_words.toml", "stories/name_rules.toml")
_JUDGES = (
    OfflineJudge(
        protocol="spatial.explicit",
        task="choice",
        name="rules",
        summary="reads men, women, neither or a refusal out of an answer by word lists",
        place="agents.judges.choice:ChoiceJudge",
        materials=("spatial/choice.toml",),
    ),
    OfflineJudge(
        protocol="spatial.probability",
        task="token_mass",
        name="tokens",
        summary="sums the probability of the tokens that say men and women; reads no text",
        place="agents.judges.token_mass:TokenMassJudge",
        materials=("spatial/gender_tokens.toml",),
    ),
    OfflineJudge(
        protocol="spatial.tracing",
        task="score",
        name="score",
        summary="reads the reward or log-probability of an answer that a model was shown",
        place="agents.judges.score:ScoreJudge",
        materials=(),
    ),
    OfflineJudge(
        protocol="spatial.planning",
        task="choice",
        name="rules",
        summary="reads A, B or a refusal out of a plan by word lists and the facilities' names",
        place="agents.judges.planning_choice:PlanningChoiceJudge",
        materials=(
            "spatial/planning_choice.toml",
            "spatial/planning.toml",
            "regional/choice.toml",
            "regional/answers.toml",
        ),
    ),
    OfflineJudge(
        protocol="spatial.planning",
        task="rationale",
        name="cues",
        summary="whether reasons rest on gender, by cue words: a cross-check that needs no key",
        place="agents.judges.rationale:RationaleJudge",
        materials=("spatial/rationale.toml",),
    ),
    OfflineJudge(
        protocol="spatial.profiling",
        task="tendency",
        name="rules",
        summary="which gender a profile shows as typical, by word lists",
        place="agents.judges.tendency:TendencyJudge",
        materials=("spatial/tendency.toml", "regional/answers.toml"),
    ),
    OfflineJudge(
        protocol="spatial.construction",
        task="words",
        name="rules",
        summary="counts a story's words and lists its content words",
        place="agents.judges.story_words:StoryWordsJudge",
        materials=_OF_STORIES,
    ),
    OfflineJudge(
        protocol="spatial.construction",
        task="sentiment",
        name="vader",
        summary="how a story feels, from -1 to 1, by VADER",
        place="agents.judges.sentiment:SentimentJudge",
        materials=_OF_STORIES,
    ),
    OfflineJudge(
        protocol="spatial.construction",
        task="adjectives",
        name="spacy",
        summary="lists adjectives and whom they describe, by a spaCy model",
        place="agents.judges.adjectives:AdjectiveJudge",
        materials=(
            *_OF_STORIES,
            "spatial/construction_agency.toml",
            "spatial/construction_adjectives.toml",
        ),
        takes_params=True,
    ),
    OfflineJudge(
        protocol="spatial.construction",
        task="agency",
        name="rules",
        summary="rule-based agency roles: who acts and who is acted on, by a spaCy model",
        place="agents.judges.agency:AgencyJudge",
        materials=(*_OF_STORIES, "spatial/construction_agency.toml"),
        takes_params=True,
    ),
    OfflineJudge(
        protocol="spatial.construction",
        task="agency",
        name="cues",
        summary="who acts and who is acted on, by place in a sentence: a check without a parser",
        place="agents.judges.agency_cues:AgencyCueJudge",
        materials=_OF_STORIES,
    ),
    OfflineJudge(
        protocol="spatial.construction",
        task="role",
        name="cues",
        summary="roles of a man and a woman, by cue words: a cross-check that needs no key",
        place="agents.judges.role:RoleJudge",
        materials=(*_OF_STORIES, "spatial/role_cues.toml"),
    ),
    OfflineJudge(
        protocol="stories",
        task="name",
        name="rules",
        summary="reads the protagonist's name by rules, and asks spaCy where they can't decide",
        place="agents.judges.name:NameJudge",
        materials=("stories/name_rules.toml",),
        takes_params=True,
    ),
    OfflineJudge(
        protocol="stories",
        task="gender",
        name="nomquamgender",
        summary="how a name is gendered, by the table of names of nomquamgender",
        place="agents.judges.gender:GenderJudge",
        materials=("stories/gender_rules.toml",),
        takes_params=True,
    ),
    OfflineJudge(
        protocol="stories",
        task="pronouns",
        name="rules",
        summary="counts he, she and they from the protagonist's first mention on",
        place="agents.judges.pronouns:PronounJudge",
        materials=("stories/name_rules.toml", "stories/pronoun_rules.toml"),
    ),
    OfflineJudge(
        protocol="regional.stereotype",
        task="rating",
        name="rules",
        summary="reads a rating from 1 to 5 or a refusal out of an answer by word lists",
        place="agents.judges.rating:RatingJudge",
        materials=("regional/rating.toml", "regional/answers.toml"),
    ),
    OfflineJudge(
        protocol="regional.decision",
        task="choice",
        name="rules",
        summary="reads A, B or a refusal out of an answer by word lists and the regions' names",
        place="agents.judges.regional_choice:RegionalChoiceJudge",
        materials=(
            "regional/choice.toml",
            "regional/answers.toml",
            "regional/regions.csv",
            "regional/tasks.toml",
        ),
    ),
    OfflineJudge(
        protocol="grap",
        task="rubric",
        name="lexicon",
        summary="scores dimensions from word lists: a cross-check that needs no key",
        place="agents.judges.lexicon:LexiconJudge",
        materials=("grap/lexicon.toml", "grap/contrast.toml", "grap/names.csv", "grap/rubric.toml"),
        takes_params=True,
    ),
)


def table() -> tuple[OfflineJudge, ...]:
    """All built-in offline judges."""
    return _JUDGES


def outside_judges() -> list[tuple[Plugin, OfflineJudge | str]]:
    """The judges of outside packages, or why one cannot be used. Loads all of them."""
    from agents.judges.outside_making import split_name

    found: list[tuple[Plugin, OfflineJudge | str]] = []
    for plugin in plugins(Group.JUDGES).values():
        try:
            refuse_clash(*split_name(plugin))
            found.append((plugin, _outside(plugin)))
        except UsageError as error:
            found.append((plugin, error.message))
    return found


def names(protocol: str, task: str) -> tuple[str, ...]:
    """Names of the offline judges for one task of one protocol, outside ones last."""
    own = [j.name for j in _JUDGES if (j.protocol, j.task) == (protocol, task)]
    start = f"{protocol}.{task}."
    added = [name.removeprefix(start) for name in plugins(Group.JUDGES) if name.startswith(start)]
    return tuple(dict.fromkeys([*own, *(name for name in added if name and "." not in name)]))


def offline(protocol: str, task: str, name: str) -> OfflineJudge:
    """The offline judge of that name.

    Raises UsageError with the allowed names, and for an outside judge that cannot be used, with
    the reason.
    """
    for judge in _JUDGES:
        if (judge.protocol, judge.task, judge.name) == (protocol, task, name):
            return judge
    plugin = plugins(Group.JUDGES).get(_entry(protocol, task, name))
    if plugin is not None:
        return _outside(plugin)
    allowed = ", ".join(names(protocol, task)) or "none"
    raise UsageError(
        f"no offline judge {name!r} for task {task!r} of {protocol}; allowed: {allowed}"
    )


def refuse_clash(protocol: str, task: str, name: str) -> None:
    """Raise UsageError where an outside package claims the place of a built-in judge."""
    plugin = plugins(Group.JUDGES).get(_entry(protocol, task, name))
    if plugin is not None and any(
        (judge.protocol, judge.task, judge.name) == (protocol, task, name) for judge in _JUDGES
    ):
        raise plugin.refused("its place is a built-in judge's")


def _entry(protocol: str, task: str, name: str) -> str:
    return f"{protocol}.{task}.{name}"


def _outside(plugin: Plugin) -> OfflineJudge:
    from agents.judges.outside import taken_up
    from agents.judges.outside_making import split_name

    protocol, task, name = split_name(plugin)
    _, summary, materials, takes_params = taken_up(plugin)
    return OfflineJudge(
        protocol=protocol,
        task=task,
        name=name,
        summary=summary,
        place=plugin.place,
        materials=materials,
        takes_params=takes_params,
        plugin=plugin,
    )
