"""Statements that claim more than their source: a limit, an exception or a group left out, "some" made "all"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.claims.grammar import PREPOSITIONS, words_of
from assay.mutations.clauses import find_verb
from assay.mutations.source import Mutation, MutationInput, replace
from assay.text.words import words

# What a quantifier becomes so that the new sentence does not follow from the old one.
_QUANTIFIERS = (
    (r"more than(?= [\d$€£]| \w+ (?:hundred|thousand|million))", "less than"),
    (r"(?:less|fewer) than(?= [\d$€£])", "more than"),
    (r"at least(?= [\d$€£])", "fewer than"),
    (r"up to(?= [\d$€£])", "more than"),
    (r"over(?= [\d$€£])", "under"),
    (r"(?<!not )always\b", "never"),
    (r"never\b", "always"),
    (r"(?<!however )(?<!how )(?<!as )(?<!more )(?:often|usually|sometimes|frequently|generally|typically)\b", "always"),
    (r"(?:rarely|seldom)", "often"),
    (r"(?<!at )(?<!after )(?<!above )(?<!of )(?:all|every one)(?= (?:of|the|its|his|her|their|[a-z]+s)\b)", "few"),
    (r"every(?= [a-z])(?! (?:other|few|second|third|two|three|four|five|six|ten|twelve)\b)", "no"),
    (r"(?<!the )(?<!’s )(?<!'s )(?<!second )(?<!its )(?<!at )most(?= (?:of|[a-z]+s)\b)", "few"),
    (r"(?<!as )(?<!so )(?<!how )many(?= (?:of|[a-z]+s)\b)", "hardly any"),
    (r"(?<!preceding )(?<!past )(?<!last )several(?= [a-z])", "no"),
    (r"some(?= of\b)", "all"),
    (r"some(?= [a-z]+s\b)", "all"),
    (r"(?<!a )few(?= [a-z]+s\b)", "most"),
    (r"both(?= [a-z]+s\b)", "only one of the two"),
    (r"majority", "minority"),
    (r"minority", "majority"),
)
# What limits a statement, and what is left when the limit is dropped: each time more is claimed than was said.
_QUALIFIERS = (
    (r"(?:wrongly|falsely|incorrectly|mistakenly|erroneously) ", ""),
    (r"(?:allegedly|reportedly|supposedly|purportedly|possibly|probably|perhaps|presumably) ", ""),
    (r"(?:alleged|supposed|suspected|proposed|planned|unsuccessful|attempted) ", ""),
    (r"(?:former|acting|deputy|assistant|honorary|interim|vice|associate) (?=[A-Za-z])", ""),
    (r"co-?(?=(?:founded|founder|wrote|written|directed|produced|owned|discovered)\b)", ""),
    (r"(?:second|third|fourth|fifth)[ -](?=(?:most|[a-z]+est)\b)", ""),
    (r"(?:partly|partially|mainly|mostly|largely|sometimes|occasionally|usually|generally|typically|rarely) ", ""),
    (r"(is|was) (?:thought|believed|said|reported|considered|claimed|rumou?red) to be\b", r"\1"),
    (r"(?<!s )(?<!you )(?<!they )(?:may|might|could) be\b", "is"),
    (r"(?<=s )(?:may|might|could) be\b", "are"),
    (r"(?<!s )(?<!you )(?<!they )(?:may|might|could) have\b", "has"),
    (r"(?<=s )(?:may|might|could) have\b", "have"),
    (
        r"(?:attempted|tried|failed|planned|intended|hoped) to (reach|climb|win|become|build|take|cross|find)\b",
        r"did \1",
    ),
    (r"(?:nearly|almost|barely) (?=(?:all|every|none|destroyed|complete|extinct)\b)", ""),
)
# A limit taken for the value itself. "Systems up to 800 W" and "may take up to 5" stay true with the value: before the
# limit has to stand a verb, a comma, or a preposition that does not belong to a noun.
_LIMITS = (
    (r"(?:up to|at most|no more than|at least|no less than|no fewer than)(?= [\d$€£])", "exactly"),
    (r"(?:up to|at most|at least) (?=(?:two|three|four|five|six|seven|eight|nine|ten|twelve) [a-z])", "exactly "),
)
_POSSIBLE = re.compile(r"\b(?:may|might|can|could|possible|allow\w*)\b|[\"“]", re.IGNORECASE)
_PICKED_OUT = re.compile(r"\b(?:with|if|every|any|all|no)\b", re.IGNORECASE)
_BEFORE_LIMIT = (PREPOSITIONS - {"of", "with"}) | words("and or is are was were")
_THINGS = r"(?!year|month|decade|day|week|hour|minute|inch|mile|time|way)[a-z]+s\b"
_PARTIAL = (
    (rf"(?<!\bat )(?<!the )most(?= (?:of the |{_THINGS}))", "all"),
    (rf"(?<!his )(?<!her )(?<!its )(?<!their )(?<!the )(?:certain|several|various|many|a few)(?= {_THINGS})", "all"),
)
_EXCEPTION = re.compile(
    r",? (?:except(?:ing)?(?: for| in)?|excluding|with the exception of|save for)\b"
    r"(?! (?:if|when|where|that)\b)[^,.;:()]{3,80}(?=[,.;])(?!, (?:which|who)\b)"
)
_ONLY_BEFORE = re.compile(r"(?<!not )\bonly (?=(?:for|in|on|to|at|by|with|from|during|between|within) )")
_ONLY_BEHIND = re.compile(r"(?<= )((?:for|in|on|to|at|by|with|from) [^,.;:()]{3,50}) only(?=[.;])")
_ONLY_FIRST = re.compile(r"^Only (?=(?:the |an? )?[\w-]+)")
# A word before the noun of a group that says which part of it is meant.
_GROUPS = words("""
    new existing first-year second-year final-year part-time full-time temporary permanent external internal premium
    registered commercial private adult senior junior residential domestic foreign local small large eligible annual
    paid unpaid late early young elderly disabled retired self-employed married single pregnant visiting
""")
_PLURAL = re.compile(r"[a-z-]{3,}(?<!s)s|people|staff|women|men|children")
_RESTRICTORS = words("in from with without under over aged on at outside inside below above for")
_DENIED_VERB = re.compile(r"\b(?:not|no|never|cannot)\b|n[’']t\b")


def change_quantifier(given: MutationInput) -> Mutation | None:
    """All for some, never for always, less for more."""
    return _chosen(given, "quantifier", _QUANTIFIERS)


def drop_qualifier(given: MutationInput) -> Mutation | None:
    """The words that limit a statement taken away: alleged, former, sometimes."""
    return _chosen(given, "dropped qualifier", _QUALIFIERS)


def widen_scope(text: str) -> Iterator[Mutation]:
    """A quantifier turned, a limit, exception or restriction dropped, or a group widened to all."""
    tables = (("quantifier", _QUANTIFIERS), ("dropped qualifier", _QUALIFIERS), ("part made all", _PARTIAL))
    for kind, table in tables:
        for match, new in _matches(text, table):
            yield replace(kind, text, match.start(), match.end(), new)
    for match, new in _matches(text, _LIMITS):
        if not _POSSIBLE.search(text) and _limits_the_whole(text[: match.start()]):
            yield replace("limit made exact", text, match.start(), match.end(), new)
    for match in _EXCEPTION.finditer(text):
        yield replace("dropped exception", text, match.start(), match.end(), "")
    for match in _ONLY_BEFORE.finditer(text):
        yield replace("lifted restriction", text, match.start(), match.end(), "not only ")
    for match in _ONLY_BEHIND.finditer(text):
        yield replace("lifted restriction", text, match.start(), match.end(), f"not only {match[1]}")
    if only := _ONLY_FIRST.match(text):
        yield replace("lifted restriction", text, 0, only.end(), "Not only ")
    if made := _all_of_group(text):
        yield made


def _limits_the_whole(before: str) -> bool:
    """Whether a limit behind these words says how much there is, and not which things are meant."""
    if not before or before.endswith(", "):
        return True
    found = words_of(before, 0, len(before))
    verb = find_verb(found)
    last = found[-1].lower if found else ""
    return not _PICKED_OUT.search(before) and (last in _BEFORE_LIMIT or verb == len(found) - 1)


def _all_of_group(text: str) -> Mutation | None:
    """ "All households" for "Households with an income below 28,000 euros", "All staff" for "Part-time staff"."""
    found = words_of(text, 0, len(text))
    verb = find_verb(found)
    if verb is None or "," in text[: found[verb].start]:
        return None
    noun = 1 if found[0].lower in _GROUPS else 0
    if not _PLURAL.fullmatch(found[noun].lower) or noun >= verb:
        return None
    rest = found[noun + 1 : verb]
    narrowed = rest[0].lower in _RESTRICTORS if rest else bool(noun)
    if not narrowed:
        return None
    negative = _DENIED_VERB.search(" ".join(text[found[verb].start :].split()[:4]))
    kept = found[noun].lower if negative else f"All {found[noun].lower}"
    return replace("group made all", text, 0, found[verb].start - 1, kept)


def _matches(text: str, table: tuple[tuple[str, str], ...]) -> list[tuple[re.Match[str], str]]:
    found = []
    for pattern, replacement in table:
        for match in re.finditer(rf"(?<![\w-]){pattern}", text, re.IGNORECASE):
            new = match.expand(replacement)
            capital = bool(new) and match.group()[0].isupper()
            if capital and match.start():
                continue  # a word of a title: "the War to End All Wars"
            found.append((match, new[0].upper() + new[1:] if capital else new))
    return found


def _chosen(given: MutationInput, kind: str, table: tuple[tuple[str, str], ...]) -> Mutation | None:
    found = _matches(given.text, table)
    if not found:
        return None
    match, new = given.rng.choice(found)
    return given.replaced(kind, match.start(), match.end(), new)
