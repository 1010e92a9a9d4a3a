"""A question and its answer as one statement, by rule; None where no rule is sure of the grammar."""

from __future__ import annotations

import re

from training.lexicon import word_list

BE = ("is", "are", "was", "were")
MODAL = ("can", "could", "will", "would", "should", "may", "might", "must", "has", "have", "had")
DO = ("do", "does", "did")
PAST = dict(pair.split(":") for pair in word_list("past"))
VERBS = frozenset(PAST) | frozenset(word_list("verbs"))
WH = r"(?:who|whom|whose|what|which|when|where|why|how)"
PREPOSITIONS = (
    "in",
    "on",
    "at",
    "by",
    "from",
    "of",
    "for",
    "to",
    "with",
    "during",
    "under",
    "through",
    "into",
    "after",
    "about",
)


def statement(question: str, answer: str) -> str | None:
    """The statement that answers the question.

    >>> statement("In what country is Normandy located?", "France")
    'Normandy is located in France.'
    >>> statement("Who directed the film Ed Wood?", "Tim Burton")
    'Tim Burton directed the film Ed Wood.'
    >>> statement("The body contains how many types of muscle tissue?", "three")
    'The body contains three types of muscle tissue.'
    """
    asked = " ".join(question.split()).rstrip("?. ").strip()
    answer = answer.strip().rstrip(".")
    if not asked or not answer:
        return None
    if answer.lower() in ("yes", "no"):
        return yes_no(asked, answer.lower() == "yes")
    for rule in (_in_place, _choice, _preposed, _fronted):
        if made := rule(asked, answer):
            return _tidy(made)
    return None


def yes_no(asked: str, yes: bool) -> str | None:
    """A yes-no question as a statement, denied when the answer is no.

    >>> yes_no("can you use oil based primer with latex paint", False)
    'You cannot use oil based primer with latex paint.'
    """
    match = re.match(
        r"(is|are|was|were|can|could|will|would|should|may|might|must|do|does|did|has|have|had) (.+)",
        asked.rstrip("?"),
        re.IGNORECASE,
    )
    if not match:
        return None
    helper, rest = match.group(1).lower(), match.group(2)
    split = _subject(rest, helper)
    if split is None:
        return None
    subject, predicate = split
    both = re.match(r"both (?=.+ and )", subject, re.IGNORECASE)
    if both and not yes:
        return None
    if yes:
        predicate = predicate.removeprefix("ever ")
        verb = _inflect(predicate, helper) if helper in DO else f"{helper} {predicate}"
        return _tidy(f"{subject} {verb}")
    denial = "cannot" if helper == "can" else f"{helper} not"
    return _tidy(f"{subject} {denial} {predicate}")


def _in_place(asked: str, answer: str) -> str | None:
    match = re.search(rf"(?<=\w)[, ]+({WH})\b", asked, re.IGNORECASE)
    if re.match(rf"(?:{'|'.join(PREPOSITIONS)})? ?{WH}\b", asked, re.IGNORECASE) or not match:
        return None
    tail = asked[match.start(1) :]
    phrase = re.match(
        r"(?:what|which) (?:(?:type|kind|sort|name|part|group|term)s? of )?[\w-]+$|"
        r"how (?:many|much)|how (?:long|old|far|tall|often)$|" + WH + "$",
        tail,
        re.IGNORECASE,
    )
    if not phrase:
        return None
    return asked[: match.start(1)] + answer + tail[phrase.end() :]


def _choice(asked: str, answer: str) -> str | None:
    """ "Which magazine was started first, A or B?" -> "A was started first." """
    head, comma, options = asked.rpartition(",")
    if not comma or " or " not in options or answer.lower() not in options.lower():
        return None
    match = re.match(
        r"(?:which|what|who)\b(?: (?!has |is |was |are |were )[\w'-]+){0,5}? ((?:is|was|are|were|has|had|came|started"
        r"|began|died|opened|won|wrote|formed|plays?|published|\w+ed) .+|\w+ed)$",
        head,
        re.IGNORECASE,
    )
    return f"{answer} {match.group(1)}" if match else None


def _preposed(asked: str, answer: str) -> str | None:
    """ "In what year did X die" -> "X died in 1999"."""
    match = re.match(
        rf"({'|'.join(PREPOSITIONS)}) (?:what|which|whom|whose) (.*?)\b({'|'.join(BE + MODAL + DO)}) (.+)$",
        asked,
        re.IGNORECASE,
    )
    if not match:
        return None
    preposition, helper, rest = match.group(1).lower(), match.group(3).lower(), match.group(4)
    split = _subject(rest, helper)
    if split is None:
        return None
    subject, predicate = split
    verb = _inflect(predicate, helper) if helper in DO else f"{helper} {predicate}".strip()
    if re.match(rf"(?:{'|'.join(PREPOSITIONS)}) ", answer, re.IGNORECASE):
        return f"{subject} {verb} {answer[0].lower()}{answer[1:]}"
    return f"{subject} {verb} {preposition} {answer}"


def _fronted(asked: str, answer: str) -> str | None:
    who = re.match(r"who (.+)$", asked, re.IGNORECASE)
    if who:
        first = who.group(1).split()[0].lower()
        if first in DO:
            split = _subject(who.group(1).split(" ", 1)[1], first)
            return f"{split[0]} {_inflect(split[1], first)} {answer}" if split else None
        return f"{answer} {who.group(1)}"
    what = re.match(r"(?:what|which) (is|are|was|were) (the|a|an|his|her|its|their|one) (.+)$", asked, re.IGNORECASE)
    if what:
        return f"{answer} {what.group(1)} {what.group(2)} {what.group(3)}"
    when = re.match(rf"(when|where) ({'|'.join(BE + DO + MODAL)}) (.+)$", asked, re.IGNORECASE)
    if when:
        helper = when.group(2).lower()
        split = _subject(when.group(3), helper)
        if split is None:
            return None
        verb = _inflect(split[1], helper) if helper in DO else f"{helper} {split[1]}".strip()
        bare = re.match(rf"(?:{'|'.join(PREPOSITIONS)}|between|before|since|until) ", answer, re.IGNORECASE)
        word = (
            ""
            if bare
            else "in "
            if re.fullmatch(r"(?:\w+ )?\d{4}|[A-Z][\w ,.'-]+", answer) and not re.search(r" \d{1,2}\b,?", answer)
            else "on "
            if re.search(r"\d", answer)
            else ""
        )
        return f"{split[0]} {verb} {word}{answer[0].lower() + answer[1:] if bare else answer}"
    many = re.match(rf"how (?:many|much) (.+?) ({'|'.join(DO)}) (.+)$", asked, re.IGNORECASE)
    if many:
        split = _subject(many.group(3), many.group(2).lower())
        if split is None:
            return None
        thing = "" if set(many.group(1).lower().split()) & set(answer.lower().split()) else f" {many.group(1)}"
        first, _, after = _inflect(split[1], many.group(2).lower()).partition(" ")
        return f"{split[0]} {first} {answer}{thing} {after}"
    subject = re.match(
        r"(?:what|which|how many) ((?:[\w'-]+ ){1,4}?)((?:is|are|was|were|has|had|won|wrote|became|plays?|played"
        r"|starred|\w+ed|hosts?|contains?|produces?|makes?) .+)$",
        asked,
        re.IGNORECASE,
    )
    if subject and not re.search(r"\b(?:did|does|do)\b", asked):
        if asked.lower().startswith("how many"):
            return f"{answer} {subject.group(1)}{subject.group(2)}"
        return f"{answer} {subject.group(2)}"
    plain = re.match(r"what (\w+(?:s|ed)) (.+)$", asked, re.IGNORECASE)
    if plain and plain.group(1).lower() not in (*BE, *DO, "has"):
        return f"{answer} {plain.group(1)} {plain.group(2)}"
    return None


def _subject(rest: str, helper: str) -> tuple[str, str] | None:
    """Where the subject after a helper verb ends and the predicate begins."""
    words = rest.split()
    if words[0].lower() == "there" and len(words) > 1:
        return words[0], " ".join(words[1:]).removeprefix("any ")
    if helper in DO:
        for place in range(1, len(words)):
            word = words[place].lower().strip(",")
            if (
                word in VERBS
                and words[place][0].islower()
                and words[place - 1].lower() not in ("the", "a", "an", "of", "to", "in")
            ):
                return " ".join(words[:place]), " ".join(words[place:])
        return None
    for place in range(1, len(words)):
        word = words[place]
        plain = word.lower().strip(",")
        participle = (plain.endswith(("ed", "ing")) and len(plain) > 4) or plain in (
            "born",
            "made",
            "known",
            "held",
            "won",
            "found",
            "built",
            "set",
            "written",
            "sold",
            "named",
        )
        opening = plain in (
            "a",
            "an",
            "the",
            "located",
            "from",
            "in",
            "on",
            "at",
            "part",
            "considered",
            "same",
            "both",
            "ever",
            "still",
            "be",
            "been",
            "available",
            "able",
            "allowed",
            "legal",
            "possible",
            "used",
            "based",
            "required",
        )
        if helper in MODAL and helper not in ("has", "have", "had"):
            opening = plain in VERBS or plain in (
                "be",
                "have",
                "use",
                "get",
                "go",
                "take",
                "make",
                "vote",
                "drink",
                "eat",
                "buy",
                "not",
            )
        if (
            (participle or opening)
            and word[0].islower()
            and words[place - 1].lower() not in ("the", "a", "an", "of", "and", "in", "to", "for", "most")
        ):
            if plain in ("in", "on", "at", "from") and any(
                later.endswith(("ed", "ing")) and later[0].islower() for later in words[place + 1 :]
            ):
                continue
            return " ".join(words[:place]), " ".join(words[place:])
    return None


def _inflect(predicate: str, helper: str) -> str:
    """The verb as it stands without "do": "did win" -> "won", "does win" -> "wins"."""
    verb, _, rest = predicate.partition(" ")
    if helper == "did":
        verb = PAST.get(verb) or (
            verb + "d" if verb.endswith("e") else verb[:-1] + "ied" if re.search(r"[^aeiou]y$", verb) else verb + "ed"
        )
    elif helper == "does":
        verb = {"have": "has", "do": "does", "go": "goes"}.get(verb) or (
            verb + "es"
            if re.search(r"(s|sh|ch|x|z)$", verb)
            else verb[:-1] + "ies"
            if re.search(r"[^aeiou]y$", verb)
            else verb + "s"
        )
    return f"{verb} {rest}".strip()


def _tidy(text: str) -> str:
    text = re.sub(r"\s+([,.;])", r"\1", " ".join(text.split())).strip(" ,")
    return text[0].upper() + text[1:] + "."
