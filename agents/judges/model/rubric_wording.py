"""What a model is told that judges `rubric`: the packaged wording round a rubric's dimensions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agents.judges.model.fence import fenced_apart
from agents.judges.model.prompt import JudgePrompt, parse_wording
from agents.judges.model.rubric_options import DIMENSION, FULL, RubricOptions
from auditor.protocols.grap.rubric import LEVELS, Dimension


@dataclass(frozen=True, kw_only=True, slots=True)
class RubricWording:
    """The texts of `rubrics/grap/rubric_judge.toml`, which says what each is for."""

    role: str
    given_full: str
    given_response_only: str
    given_full_pair: str
    given_response_only_pair: str
    scoring: str
    each_alone: str
    all: str
    single: str
    before_dimension: str
    refusal: str
    material: str
    before_prompt: str
    before_response: str
    first: str
    second: str
    after: str
    after_pair: str
    output: str
    output_pair: str
    longest: int
    max_tokens: int
    max_tokens_pair: int
    max_tokens_single: int

    def prompt(self, options: RubricOptions, dimensions: Iterable[Dimension]) -> JudgePrompt:
        """The prompt of a judge with these options. Its turn is `question`'s."""
        is_pair = options.is_paired
        given = {
            (True, False): self.given_full,
            (False, False): self.given_response_only,
            (True, True): self.given_full_pair,
            (False, True): self.given_response_only_pair,
        }[options.setting == FULL, is_pair]
        parts = [self.role, given, self.scoring, *([self.each_alone] if is_pair else [])]
        if options.calls == DIMENSION:
            parts.append(self.single)
        else:
            parts += [self.all, *(described(dimension) for dimension in dimensions)]
        parts += [self.refusal, self.material]
        cap = self.max_tokens_pair if is_pair else self.max_tokens
        return JudgePrompt(
            instructions="\n\n".join(part.strip() for part in parts),
            before=self.before_response,
            after=self.after_pair if is_pair else self.after,
            output=self.output_pair if is_pair else self.output,
            longest=self.longest,
            max_tokens=self.max_tokens_single if options.calls == DIMENSION else cap,
        )

    def question(self, shown: Sequence[tuple[str | None, str]], dimension: Dimension | None) -> str:
        """The user's turn about (prompt, response) of each answer, the prompt None if not shown."""
        fences = iter(fenced_apart([text for pair in shown for text in pair if text is not None]))
        parts = [] if dimension is None else [self.before_dimension, described(dimension)]
        for place, (prompt, _) in enumerate(shown):
            if len(shown) > 1:
                parts.append((self.first, self.second)[place])
            if prompt is not None:
                parts += [self.before_prompt, next(fences)]
            parts += [self.before_response, next(fences)]
        return "\n".join([*parts, self.after if len(shown) == 1 else self.after_pair])


def described(dimension: Dimension) -> str:
    """A dimension with its key, its definition and its anchors."""
    anchors = [f"  {at}: {text}" for at, text in zip(LEVELS, dimension.anchors, strict=True)]
    return "\n".join([f"- {dimension.key}: {dimension.definition}", *anchors])


def rubric_wording(toml: str, path: str) -> RubricWording:
    """The wording in a rubric file. Raises UsageError that names file, key and what is allowed."""
    return RubricWording(**parse_wording(toml, path, RubricWording))
