"""What can be told about a clause from word lists alone: where its verb is, whether it has a subject of its own.

The word lists stand in for a tagger: which words are verbs, and what may stand around one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from assay.text.numerals import ONES, TENS
from assay.text.tokens import WORD
from assay.text.words import words as word_list


def _third_person(verbs: frozenset[str]) -> frozenset[str]:
    """The forms of the third person: "carries", "reaches", "has"."""
    return frozenset({"have": "has", "do": "does", "go": "goes"}.get(verb) or _with_s(verb) for verb in verbs)


def _with_s(verb: str) -> str:
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "x", "z", "ch", "sh")) else "s")


BE_HAVE = word_list("am is are was were be been being has have had isn't aren't wasn't weren't hasn't haven't hadn't")
MODALS = word_list("""
    will would can could may might must shall should cannot won't wouldn't can't couldn't mustn't shouldn't do does
    did don't doesn't didn't
""")
AUXILIARIES = (BE_HAVE | MODALS) - word_list("be been being")
# A subject and its verb in one word.
CONTRACTED = word_list("""
    i'm you're he's she's it's we're they're that's there's who's i've you've we've they've i'll you'll he'll she'll
    it'll we'll they'll
""")

# Past forms that are no participles, and verbs that have no passive: after these no helper verb is missing.
PLAIN_PASTS = word_list("""
    went came became wrote gave took saw began grew knew spoke drove flew drew fell rose chose broke sang swam ran
    ate wore stole froze forgot threw blew shook rode woke died lived remained emerged arrived occurred happened
    existed appeared disappeared retired graduated emigrated collapsed belonged consisted resigned travelled
    traveled participated competed debuted lasted sank drank tore swore arose awoke bore forgave forbade overtook
    undertook mistook rang shrank sprang
""")
# Past forms that are participles too ("won", "was won").
MIXED_PASTS = word_list("""
    won lost made built held led left found met paid said sold sent spent stood taught thought told bought brought
    caught fought felt kept meant set put cut hit let shut read spread cost beat fed fled hung laid lent lit sought
    shot slept struck swept bred dealt had got hurt quit sat split swung wound overcame understood underwent
    withdrew used owed tied heard dug stuck bent bound clung crept knelt leapt rebuilt slid spun stung wept shone
""")
# Behind "was born in Warsaw and" these are active although they could be passive.
MOVING = word_list("moved worked studied stayed returned settled served")
# Behind "was ordered to pay and" these are passive although an object follows ("fined £500").
GIVING = word_list("""
    fined given awarded paid named granted offered told shown sent allowed asked charged elected appointed declared
    called made taught handed promised denied
""")
# Verbs whose form in -s is nothing else ("employs"), and those that are nouns too ("works", "an increase").
VERBS = word_list("""
    employ operate produce contain include provide require allow reduce affect consist own serve reach remain become
    make take give get belong begin sell publish generate connect prevent improve enable help create protect inhibit
    bind stimulate manage maintain receive send raise lower pay earn spend weigh extend grow occur teach kill
    destroy develop comprise represent apply govern prohibit expire follow precede occupy convert absorb emit rotate
    accept deliver write throw have do go say come know think see keep bring carry vary depend exceed equal infect
    lie last recommend specify describe involve consume combine compete specialise specialize encourage define open
    close exist arrive happen appear disappear differ sit learn speak wear choose lose meet buy hear believe
    understand explain obtain achieve acquire adopt establish discover introduce cease continue disagree agree
    eliminate ensure exclude expand flee forbid forgive impose indicate inform install integrate invest join lack
    let lend merge migrate omit participate perform possess preserve promote propose prove qualify quit react
    recover refer relate relieve rely remove renew replace resemble respond restrict retain reveal seek seem solve
    submit suffer surround tend terminate transmit undergo validate violate wait warn
""")
NOUN_VERBS = word_list("""
    offer use cause increase cover live work run support feature host hold stand end start handle drive block supply
    return cost measure border rise fall play study treat build design export import rank limit grant orbit reject
    charge refund ship store read call print need want look form turn move act range spread order show mean lead
    flow process request stop sign trigger purchase award name launch trade target permit proceed suit feed decrease
    reply mention hire stay
""")
PRESENTS = _third_person(VERBS)
MIXED_PRESENTS = _third_person(NOUN_VERBS)
# Of those, the ones that go on with a preposition ("and stands on the border"), where no noun does.
POSTURES = word_list("stands lives ranks rises orbits starts ends works")
# Base forms that are mostly adjectives behind a noun ("stores open on Sunday").
NOT_PLURAL = word_list("open close lower last own equal have do let")
# Words in -ed that are mostly adjectives or no verbs at all.
NOT_PASTS = word_list("""
    hundred united limited related based located called named estimated so-called advanced combined required
    increased reduced detailed mixed sacred naked wicked rugged aged skilled gifted unprecedented need indeed speed
    breed seed feed exceed proceed succeed shed sled embed
""")

DETERMINERS = word_list("""
    the a an this that these those its his her their our your my some any no each every all both several many most
    few another other such hundreds thousands millions billions more less fewer nearly about almost approximately
    around over roughly only up
""") | frozenset(ONES | TENS)
ARTICLES = word_list("the a an this these those its his her their our your my any each every all")
PREPOSITIONS = word_list("""
    of in on at by for from with without to into onto over under between among through during before after since
    until against about across along around as per via near within beyond toward towards upon off out despite like
""")
OBJECT_PRONOUNS = word_list("him them me us it you himself herself itself themselves")
NOMINATIVES = word_list("he she they we i it who")
PLURAL_SUBJECTS = word_list("they we you i who people children men women many most some both all")
SUBJECT_PRONOUNS = word_list(
    "he she it they we you i this that these those there both each neither none some most many"
)
ADVERBS = word_list("""
    also later then subsequently eventually never always often still now soon only just even already once thus
    therefore ultimately finally initially currently again twice
""")
# What starts a clause inside another one; a split behind it might tear a condition or a report from its content.
BINDERS = word_list("""
    that who whom whose which where when if because unless until whether although though while whereas since why how
    what lest provided
""")
REPORTS = word_list("""
    said says say claimed claims claim argued argues believed believes believe reported reports stated states
    suggested suggests thought thinks think denied denies alleged alleges announced warned warns told estimated
    estimates
""")
PAIRING = word_list("between both either neither from")
# "No plan covers dental care and costs $5" says neither of its halves.
LIMITING = word_list("no none neither nobody nothing few only not never hardly rarely seldom")

LONGEST_SUBJECT = 12
_STATEMENT = 400  # characters in which the verb of a sentence stands
_SENTENCE_WORDS = 4


class Word(NamedTuple):
    """A word of a sentence; a tuple, because a long answer has a million of them."""

    lower: str
    start: int
    end: int
    capital: bool


_WORD = re.compile(rf"{WORD.pattern}|[$€£%]")


def words_of(text: str, start: int, end: int) -> list[Word]:
    """The words of a stretch with their places."""
    return [
        Word(word.lower().replace("’", "'"), match.start(), match.end(), word[0].isupper())
        for match in _WORD.finditer(text, start, end)
        for word in (match.group(),)
    ]


def is_statement(text: str) -> bool:
    """Whether a text is a sentence with a subject and a verb of its own; "Includes 10 GB" and "10 GB" are not.

    >>> is_statement("The plan includes 10 GB"), is_statement("Patients who are over 65")
    (True, False)
    """
    words = words_of(text, 0, min(len(text), _STATEMENT))
    inner = 0
    for at, word in enumerate(words):
        if word.lower in BINDERS and not (at and words[at - 1].lower in BINDERS):
            inner += 1
        elif finite(words, at) and (at or word.lower in CONTRACTED):
            if not inner:
                return True
            inner -= 1
    if len(words) > 1 and words[0].lower in NOMINATIVES:
        return True
    opens = bool(words) and (words[0].lower in ARTICLES or words[0].lower in SUBJECT_PRONOUNS)
    return opens and len(words) >= _SENTENCE_WORDS and text.rstrip().endswith(".")


def finite(words: Sequence[Word], at: int) -> bool:
    """Whether a word is the verb of a clause beyond doubt."""
    word = words[at]
    if word.lower in CONTRACTED:
        return True
    if word.capital:
        return False
    if _certain(word.lower):
        return True
    if not at:
        return False
    before = words[at - 1].lower
    if before in ADVERBS and at > 1:
        before = words[at - 2].lower
    if word.lower in VERBS or word.lower in NOUN_VERBS:
        return _plural_verb(words, at, before)
    if not _past_or_present(word.lower):
        return before in ("he", "she", "it") and at == 1 and word.lower.endswith("s") and word.lower not in _NO_PLURALS
    if before in NOMINATIVES:
        # "she later moved"
        return True
    if word.lower in POSTURES and at + 1 < len(words) and words[at + 1].lower in PREPOSITIONS:
        # "her brother lives in Oslo", but "carts and stands on the street"
        return not before.endswith("s") and before not in _NO_SUBJECTS
    # Not "the reported cases", "of reduced size".
    return before not in DETERMINERS and before not in PREPOSITIONS and _takes_object(words, at + 1)


def _certain(word: str) -> bool:
    """Whether a word is a verb wherever it stands."""
    return word in AUXILIARIES or word in PLAIN_PASTS or word in PRESENTS


def _plural_verb(words: Sequence[Word], at: int, before: str) -> bool:
    """Whether a base form is the verb of a plural subject: "the plans include", "users need a key"."""
    word = words[at].lower
    if before in NOMINATIVES and before in PLURAL_SUBJECTS:
        return True
    plural = before.endswith("s") and not before.endswith(("ss", "'s")) and before not in _NO_PLURALS
    plural = before in PLURAL_SUBJECTS or (plural and not _certain(before))
    if not plural or word in NOT_PLURAL:
        return False
    if word in MIXED_PASTS and not _takes_object(words, at + 1):
        return False
    return word in VERBS or _takes_object(words, at + 1)


_NO_SUBJECTS = PREPOSITIONS | DETERMINERS | {"and", "or", "but"}
_NO_PLURALS = PREPOSITIONS | DETERMINERS | frozenset(("as", "thus", "plus", "yes", "perhaps", "always", "sometimes"))


def is_past(word: str) -> bool:
    """Whether a word may be the past form of a verb, or its participle."""
    return word in MIXED_PASTS or (len(word) > 4 and word.endswith("ed") and word not in NOT_PASTS and "-" not in word)


def _past_or_present(word: str) -> bool:
    return word in MIXED_PRESENTS or is_past(word)


def _takes_object(words: Sequence[Word], at: int) -> bool:
    """Whether an object stands here: "won two prizes", "employs 500 people", "founded Acme"."""
    if at >= len(words):
        return False
    word = words[at]
    return word.capital or word.lower in DETERMINERS or word.lower in OBJECT_PRONOUNS or not word.lower[0].isalpha()


def find_verb(text: str, words: Sequence[Word], first: int, until: int) -> tuple[int | None, bool]:
    """The verb of a clause that starts at `first`, and whether it is certain.

    "opened" in "The mill opened in 1900" may be a participle, "covers" in "The plan covers parts" a noun; they are
    taken if nothing else can be the verb.
    """
    perhaps = None
    for at in range(first, until):
        if finite(words, at) and (at > first or words[at].lower in CONTRACTED):
            return at, True
        apart = "," in text[words[at - 1].end : words[at].start]  # "The firm, founded in 1990, …"
        if perhaps is None and at > first and not apart and _perhaps_verb(words, at):
            perhaps = at
    return perhaps, False


def _perhaps_verb(words: Sequence[Word], at: int) -> bool:
    word, before = words[at], words[at - 1].lower
    if word.capital or before in DETERMINERS or before in PREPOSITIONS or before in BE_HAVE:
        return False
    return word.lower in MIXED_PRESENTS or (
        is_past(word.lower) and (at + 1 >= len(words) or words[at + 1].lower in PREPOSITIONS)
    )


def own_subject(text: str, words: Sequence[Word], at: int, limit: int, *, loose: bool) -> int | None:
    """Where the verb of a clause with a subject of its own stands, if one starts here.

    A bare noun ("and prices rose") counts as a subject only behind a comma or semicolon (`loose`).
    """
    first = words[at]
    if first.lower in CONTRACTED:
        return at
    if not loose and not (first.capital or first.lower in DETERMINERS or first.lower in SUBJECT_PRONOUNS):
        return None
    if first.lower in PREPOSITIONS and not loose:
        return None
    if first.lower in OBJECT_PRONOUNS and first.lower not in SUBJECT_PRONOUNS:
        return None
    if first.lower == "not" or (first.lower in _COMPLEMENTS and not finite(words, min(at + 1, len(words) - 1))):
        return None  # "but not before he left", "and that he left"
    for index in range(at, min(at + LONGEST_SUBJECT, len(words))):
        word = words[index]
        if word.start >= limit or (word.lower in BINDERS and index > at) or word.lower == "to":
            return None
        if word.lower in CONTRACTED:
            return None
        if index > at and finite(words, index):
            inner = any(word.lower in _INNER_SUBJECTS for word in words[at + 1 : index])
            if inner or not _names_something(words[at:index]):
                return None  # "but also helps", "in January and February there is", "and ensuring she is"
            between = text[first.start : word.start]
            commas = between.rstrip().count(",")
            return index if not commas or (loose and commas == 1 and first.lower in _OPENERS) else None
    return None


def _names_something(words: Sequence[Word]) -> bool:
    """Whether words can be a subject: "also" and "is being" are none."""
    return not (_certain(words[0].lower) and not words[0].capital) and not all(map(is_adverb, words))


def is_adverb(word: Word) -> bool:
    return word.lower in ADVERBS or (word.lower.endswith("ly") and not word.capital)


_INNER_SUBJECTS = (NOMINATIVES - {"who"}) | {"there"}
_COMPLEMENTS = frozenset(("that", "whether", "how", "why"))
_OPENERS = frozenset(("however", "therefore", "in", "by", "thus", "moreover", "instead", "consequently"))
_NO_VERBS = PREPOSITIONS | DETERMINERS | ADVERBS | BINDERS | SUBJECT_PRONOUNS | OBJECT_PRONOUNS | {"not", "or", "so"}
_ORDERING = frozenset(("must", "shall", "should", "will"))


def shared_helper(words: Sequence[Word], verb: int, at: int, behind: int, limit: int) -> str | None:
    """The helper verb that a verb behind "and" shares with the one before; None if no verb without a subject is there.

    `verb` is the verb of the clause before, `at` the "and", `behind` the word behind it. "won two prizes" needs nothing
    but the subject (""), "acquired by Acme" behind "was founded in 1990" needs "was".
    """
    end = _verb_end(words, verb, at)
    here = behind + 1 if is_adverb(words[behind]) else behind
    if end >= at or here + 1 >= len(words) or words[here + 1].start >= limit or words[here].capital:
        return None  # "makes and sells shoes" shares the object
    word, helper = words[here].lower, words[verb].lower
    following = words[here + 1].lower
    if _certain(word):
        return ""
    if helper in _ORDERING or helper in VERBS or helper in NOUN_VERBS:
        return _shared_base(words, verb, at, here)
    if not _past_or_present(word) or following == "of":
        return None  # "and means of transport"
    has = helper in ("has", "have", "had")
    if _takes_object(words, here + 1):
        if helper in BE_HAVE and not has and end > verb + 1 and word in GIVING:
            return None
        return words[verb].lower if has and is_past(word) else "" if helper not in MODALS else None
    if word in POSTURES and not words[at - 1].lower.endswith("s"):
        # "is 8,849 m high and stands on the border", but "carts and stands on the street"
        return "" if following in PREPOSITIONS else None
    if word in MIXED_PRESENTS and (helper in PRESENTS or helper in MIXED_PRESENTS):
        # "reduces pain but causes drowsiness", "rises in the Alps and flows into the sea"; "deaths and births in" not
        listed = words[at - 1].lower.endswith("s") and not words[at - 1].capital
        return "" if words[at].lower == "but" or (following in PREPOSITIONS and not listed) else None
    if word in MIXED_PRESENTS or any(is_past(words[index].lower) for index in range(end, at)):
        # "sold cars built in Japan and shipped to Europe"
        return None
    if helper in BE_HAVE or helper in CONTRACTED:
        return _shared_be(words, verb, end, word, following)
    if helper in MODALS or helper in PRESENTS or helper in MIXED_PRESENTS:
        return None
    # "moved to France in 1891 and studied physics", but "sold bread and baked beans"
    return "" if following in PREPOSITIONS or _ends_a_phrase(words[at - 1]) else None


def _verb_end(words: Sequence[Word], verb: int, at: int) -> int:
    """Behind the last word of a verb: "was later founded" in "was later founded in 1990"."""
    end = verb + 1
    if words[verb].lower not in AUXILIARIES and words[verb].lower not in CONTRACTED:
        return end
    while end < at and (words[end].lower in BE_HAVE or is_adverb(words[end])):
        end += 1
    if end < at and (is_past(words[end].lower) or words[end].lower.endswith(("en", "wn", "ed", "orn"))):
        end += 1
    return end


def _shared_base(words: Sequence[Word], verb: int, at: int, here: int) -> str | None:
    """For "must sign the form and pay the fee" the modal, for "users pay a fee and get a card" nothing."""
    word, following, helper = words[here].lower, words[here + 1].lower, words[verb].lower
    if {"to", "not", "never"} & {item.lower for item in words[verb:at]}:
        return None
    if helper in _ORDERING:
        # Nothing but a verb stands before an article: "and attach the receipts".
        needs_object = following in ARTICLES or following in OBJECT_PRONOUNS
        return helper if needs_object and word not in _NO_VERBS and not word.endswith(("ly", "ing", "s")) else None
    return "" if (word in VERBS or word in NOUN_VERBS) and _takes_object(words, here + 1) else None


def _shared_be(words: Sequence[Word], verb: int, end: int, word: str, following: str) -> str | None:
    """For "was founded in 1990 and acquired by Acme" the helper; "was born in Warsaw and moved to Paris" needs none."""
    group = [item.lower for item in words[verb:end]]
    if words[verb].lower in ("has", "have", "had") and following in PREPOSITIONS and "been" not in group:
        return words[verb].lower
    if word in MOVING and following in PREPOSITIONS:
        return ""
    passive = following == "by" and len(group) > 1 and words[verb].lower in ("is", "are", "was", "were")
    return words[verb].lower if passive and not {"not", "never"} & set(group) else None


def _ends_a_phrase(word: Word) -> bool:
    """Whether a word before "and" is a name or a number, with which no plain noun would be listed."""
    return word.capital or word.lower[0].isdigit()
