"""Who is the subject of a verb and who its object: passives, "and", control, relative clauses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agents.judges._parsed_story import Parse, Word
from agents.judges._regional_text import parsed, text_list
from auditor.errors import UsageError

AGENCY_FILE = "spatial/construction_agency.toml"
_LISTS = (
    "undergo",
    "addressees",
    "recipients",
    "promising",
    "helped",
    "intransitive",
)
_SUBJECTS = ("nsubj", "nsubjpass")
_RELATIVE = ("WP", "WDT")
_FINITE = ("VBD", "VBP", "VBZ")


@dataclass(frozen=True, slots=True)
class VerbLists:
    """Lemmas of verbs by how they take their arguments."""

    undergo: frozenset[str]
    addressees: frozenset[str]
    recipients: frozenset[str]
    promising: frozenset[str]
    helped: frozenset[str]
    intransitive: frozenset[str]
    prepositions: Mapping[str, frozenset[str]]
    """By preposition, the verbs whose patient follows it."""

    @classmethod
    def parse(cls, agency_toml: str) -> VerbLists:
        """The lists of the file. Raises UsageError that names file and list."""
        tables = parsed(agency_toml, AGENCY_FILE)
        lists = {name: _lemmas(tables.get(name), name) for name in _LISTS}
        prepositions = tables.get("prepositions")
        if not isinstance(prepositions, dict):
            raise UsageError(
                f"rubrics/{AGENCY_FILE}: prepositions: missing; allowed: a table of lists",
                where=f"rubrics/{AGENCY_FILE}",
            )
        by_word = {
            word: _lemmas(verbs, f"prepositions.{word}") for word, verbs in prepositions.items()
        }
        return cls(**lists, prepositions=by_word)


def _lemmas(words: object, name: str) -> frozenset[str]:
    return frozenset(text_list(words, AGENCY_FILE, name))


class Clauses:
    """The verbs of one parsed story with their subjects and objects."""

    def __init__(self, parse: Parse, verbs: VerbLists) -> None:
        self.parse = parse
        self._lists = verbs

    def verbs(self) -> Iterator[Word]:
        """Every verb that says something of its own: no auxiliaries, no modals."""
        for word in self.parse.words:
            if word.relation in ("aux", "auxpass", "amod", "compound"):
                continue
            is_misread = not word.is_verb and self._is_predicate(word)
            if word.is_verb or is_misread:
                yield word

    def _is_predicate(self, word: Word) -> bool:
        """Whether a word that is tagged as none is a verb: it has a subject and an object."""
        return (
            not word.is_adjective
            and bool(self.parse.below(word, *_SUBJECTS))
            and bool(self.parse.below(word, "dobj"))
        )

    # -- subjects ----------------------------------------------------------------------------

    def subjects(self, verb: Word) -> list[Word]:
        """Who does it, or in a passive undergoes it; those joined by "and" each."""
        return [each for word in self._subjects(verb, set()) for each in self.parse.joined(word)]

    def _subjects(self, verb: Word, seen: set[int]) -> list[Word]:
        if verb.place in seen:  # a parse is a tree, but who is understood may lead round
            return []
        seen.add(verb.place)
        own = self._own_subjects(verb)
        if own:
            return own
        head = self.parse.head(verb)
        if head is None:
            return []
        return self._understood(verb, head, seen)

    def _own_subjects(self, verb: Word) -> list[Word]:
        found = self.parse.below(verb, *_SUBJECTS)
        persons = [word for word in found if word.tag not in _RELATIVE]
        if persons:
            return persons
        if found and verb.relation == "relcl":
            head = self.parse.head(verb)
            return [] if head is None else [head]
        if self.parse.below(verb, "expl"):
            return self.parse.below(verb, "attr", "dobj")
        if verb.lemma in self._lists.undergo and verb.tag in _FINITE:
            # Turned round: "on the porch sat a woman".
            is_turned = any(word.place < verb.place for word in self.parse.below(verb, "prep"))
            return self.parse.below(verb, "dobj", "attr") if is_turned else []
        return []

    def _understood(self, verb: Word, head: Word, seen: set[int]) -> list[Word]:
        relation = verb.relation
        is_finite = verb.tag in _FINITE
        if relation in ("conj", "dep") and (head.is_verb or self.parse.below(head, *_SUBJECTS)):
            return self._subjects(head, seen)
        if relation in ("xcomp", "oprd") or (relation == "ccomp" and not is_finite):
            # "Wait," said Thomas: what is said has no subject of its own.
            is_said = verb.tag == "VB" and verb.place < head.place
            return [] if is_said else self._controllers(head, seen)
        if relation == "advcl" and verb.tag not in ("VBP", "VBZ"):
            return self._subjects(head, seen)
        if relation == "pcomp":
            above = self.parse.head(head)
            return self._subjects(above, seen) if above is not None and above.is_verb else []
        return [head] if relation == "acl" and verb.tag in ("VBG", "VBN", "VBD") else []

    def _controllers(self, head: Word, seen: set[int]) -> list[Word]:
        """Who is understood below a verb: its object ("asked her to sing"), else its subject."""
        if head.lemma not in self._lists.promising:
            objects = self.parse.below(head, "dobj", "dative")
            objects = [word for word in objects if word.tag != "IN"]
            if objects:
                return objects[:1]
        return self._subjects(head, seen)

    # -- passives ----------------------------------------------------------------------------

    def is_passive(self, verb: Word) -> bool:
        """Whether its subject undergoes it by its form."""
        parse = self.parse
        if parse.below(verb, "auxpass", "nsubjpass"):
            return True
        if parse.below(verb, "aux"):
            return False
        if verb.relation in ("acl", "advcl", "oprd") and verb.tag in ("VBN", "VBD"):
            return not parse.below(verb, *_SUBJECTS) and not self._is_series(verb)
        return verb.relation == "conj" and self._shares_passive(verb)

    def _shares_passive(self, verb: Word) -> bool:
        head = self.parse.head(verb)
        if head is None or self._own_subjects(verb) or not self.is_passive(head):
            return False
        if verb.tag == "VBN":
            return True
        # "stopped and searched": the tagger cannot tell one form from the other.
        is_open = self.parse.below(verb, "dobj", "xcomp", "ccomp", "acomp")
        return (
            verb.tag == "VBD"
            and verb.lower.endswith("ed")
            and verb.lemma not in self._lists.intransitive
            and not is_open
            and self._is_adjacent(head, verb)
        )

    def _is_series(self, verb: Word) -> bool:
        """Whether a participle is one of a row of verbs: "she washed, dried and stacked"."""
        return any(word.tag in _FINITE for word in self.parse.below(verb, "conj"))

    # -- objects -----------------------------------------------------------------------------

    def objects(self, verb: Word) -> list[Word]:
        """Whom it acts on; recipients and those who are told something left out."""
        found = [
            each
            for word in (*self._direct(verb), *self._by_preposition(verb), *self._relative(verb))
            for each in self.parse.joined(word)
        ]
        return [*found, *self._of_small_clause(verb)]

    def has_object(self, verb: Word) -> bool:
        """Whether it has a direct object of any kind."""
        return bool(self.parse.below(verb, "dobj"))

    def _direct(self, verb: Word) -> Sequence[Word]:
        found = self.parse.below(verb, "dobj") or self._shared(verb)
        if verb.lemma in self._lists.addressees:
            return found[1:]
        has_two = len(found) > 1 or any(self.parse.below(word, "appos") for word in found)
        if has_two and verb.lemma in self._lists.recipients:
            return found[1:]
        if found and not self._own_subjects(verb) and found == self.subjects(verb)[:1]:
            return []
        # "followed her home": the parser takes home for hers.
        turned = [poss for word in found if word.lower == "home" for poss in self._hers(word)]
        return turned or found

    def _hers(self, word: Word) -> list[Word]:
        return [poss for poss in self.parse.below(word, "poss") if poss.lower == "her"]

    def _shared(self, verb: Word) -> list[Word]:
        """The object of the next of two verbs: "he lifted and kissed her"."""
        if verb.lemma in {*self._lists.intransitive, *self._lists.undergo}:
            return []
        for other in self.parse.below(verb, "conj"):
            is_next = other.is_verb and self._is_adjacent(verb, other)
            if is_next and not self._own_subjects(other):
                return self.parse.below(other, "dobj")
        return []

    def _is_adjacent(self, first: Word, second: Word) -> bool:
        between = self.parse.between(first, second)
        return all(word.relation in ("cc", "advmod", "neg") for word in between)

    def _by_preposition(self, verb: Word) -> Iterator[Word]:
        for preposition in self.parse.below(verb, "prep"):
            if verb.lemma in self._lists.prepositions.get(preposition.lower, ()):
                yield from self.parse.below(preposition, "pobj")

    def _relative(self, verb: Word) -> Iterator[Word]:
        """The noun whose clause lacks an object: "the boy she loved"."""
        head = self.parse.head(verb)
        if verb.relation != "relcl" or head is None or not self._own_subjects(verb):
            return
        own = [w for w in self.parse.below(verb, *_SUBJECTS) if w.tag not in _RELATIVE]
        filled = [w for w in self.parse.below(verb, "dobj") if w.tag not in _RELATIVE]
        where = [w for w in self.parse.below(verb, "advmod") if w.tag == "WRB"]
        stranded = any(
            not self.parse.below(w, "pobj", "pcomp") for w in self.parse.below(verb, "prep")
        )
        if filled or where or stranded or not own:
            return
        if verb.lemma not in {*self._lists.intransitive, *self._lists.undergo}:
            yield head

    def _of_small_clause(self, verb: Word) -> Iterator[Word]:
        """Whom it makes, finds or helps: "made her late", "helped her carry"."""
        for below in self.parse.below(verb, "ccomp", "xcomp"):
            is_verbless = not below.is_verb
            if (is_verbless and not self._is_predicate(below)) or verb.lemma in self._lists.helped:
                if self.parse.below(below, "aux", "cop") and is_verbless:
                    continue
                for subject in self.parse.below(below, "nsubj"):
                    yield from self.parse.joined(subject)

    # -- agents of passives ------------------------------------------------------------------

    def agents(self, verb: Word) -> Iterator[Word]:
        """Who does it, in the by-phrase of a passive."""
        if not self.is_passive(verb):
            return
        phrases = self.parse.below(verb, "agent")
        for word in self.parse.below(verb, "dobj"):
            # "was taught chess by him": the parser gives the phrase to the object.
            phrases += [each for each in self.parse.below(word, "prep") if each.lower == "by"]
        for phrase in phrases:
            for word in self.parse.below(phrase, "pobj"):
                yield from self.parse.joined(word)
