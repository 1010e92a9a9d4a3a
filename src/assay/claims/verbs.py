"""A small lexicon that stands in for a tagger: which words are verbs, and what may stand around one."""

from __future__ import annotations

from assay.text.numerals import ONES, TENS
from assay.text.words import words


def _third_person(verbs: frozenset[str]) -> frozenset[str]:
    """The forms of the third person: "carries", "reaches", "has"."""
    return frozenset({"have": "has", "do": "does", "go": "goes"}.get(verb) or _with_s(verb) for verb in verbs)


def _with_s(verb: str) -> str:
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "x", "z", "ch", "sh")) else "s")


BE_HAVE = words("am is are was were be been being has have had isn't aren't wasn't weren't hasn't haven't hadn't")
MODALS = words("""
    will would can could may might must shall should cannot won't wouldn't can't couldn't mustn't shouldn't do does
    did don't doesn't didn't
""")
AUXILIARIES = (BE_HAVE | MODALS) - words("be been being")
# A subject and its verb in one word.
CONTRACTED = words("""
    i'm you're he's she's it's we're they're that's there's who's i've you've we've they've i'll you'll he'll she'll
    it'll we'll they'll
""")

# Past forms that are no participles, and verbs that have no passive: after these no helper verb is missing.
PLAIN_PASTS = words("""
    went came became wrote gave took saw began grew knew spoke drove flew drew fell rose chose broke sang swam ran
    ate wore stole froze forgot threw blew shook rode woke died lived remained emerged arrived occurred happened
    existed appeared disappeared retired graduated emigrated collapsed belonged consisted resigned travelled
    traveled participated competed debuted lasted sank drank tore swore arose awoke bore forgave forbade overtook
    undertook mistook rang shrank sprang
""")
# Past forms that are participles too ("won", "was won").
MIXED_PASTS = words("""
    won lost made built held led left found met paid said sold sent spent stood taught thought told bought brought
    caught fought felt kept meant set put cut hit let shut read spread cost beat fed fled hung laid lent lit sought
    shot slept struck swept bred dealt had got hurt quit sat split swung wound overcame understood underwent
    withdrew used owed tied heard dug stuck bent bound clung crept knelt leapt rebuilt slid spun stung wept shone
""")
# Behind "was born in Warsaw and" these are active although they could be passive.
MOVING = words("moved worked studied stayed returned settled served")
# Behind "was ordered to pay and" these are passive although an object follows ("fined £500").
GIVING = words("""
    fined given awarded paid named granted offered told shown sent allowed asked charged elected appointed declared
    called made taught handed promised denied
""")
# Verbs whose form in -s is nothing else ("employs"), and those that are nouns too ("works", "an increase").
VERBS = words("""
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
NOUN_VERBS = words("""
    offer use cause increase cover live work run support feature host hold stand end start handle drive block supply
    return cost measure border rise fall play study treat build design export import rank limit grant orbit reject
    charge refund ship store read call print need want look form turn move act range spread order show mean lead
    flow process request stop sign trigger purchase award name launch trade target permit proceed suit feed decrease
    reply mention hire stay
""")
PRESENTS = _third_person(VERBS)
MIXED_PRESENTS = _third_person(NOUN_VERBS)
# Of those, the ones that go on with a preposition ("and stands on the border"), where no noun does.
POSTURES = words("stands lives ranks rises orbits starts ends works")
# Base forms that are mostly adjectives behind a noun ("stores open on Sunday").
NOT_PLURAL = words("open close lower last own equal have do let")
# Words in -ed that are mostly adjectives or no verbs at all.
NOT_PASTS = words("""
    hundred united limited related based located called named estimated so-called advanced combined required
    increased reduced detailed mixed sacred naked wicked rugged aged skilled gifted unprecedented need indeed speed
    breed seed feed exceed proceed succeed shed sled embed
""")

DETERMINERS = words("""
    the a an this that these those its his her their our your my some any no each every all both several many most
    few another other such hundreds thousands millions billions more less fewer nearly about almost approximately
    around over roughly only up
""") | frozenset(ONES | TENS)
ARTICLES = words("the a an this these those its his her their our your my any each every all")
PREPOSITIONS = words("""
    of in on at by for from with without to into onto over under between among through during before after since
    until against about across along around as per via near within beyond toward towards upon off out despite like
""")
OBJECT_PRONOUNS = words("him them me us it you himself herself itself themselves")
NOMINATIVES = words("he she they we i it who")
PLURAL_SUBJECTS = words("they we you i who people children men women many most some both all")
SUBJECT_PRONOUNS = words("he she it they we you i this that these those there both each neither none some most many")
ADVERBS = words("""
    also later then subsequently eventually never always often still now soon only just even already once thus
    therefore ultimately finally initially currently again twice
""")
# What starts a clause inside another one; a split behind it might tear a condition or a report from its content.
BINDERS = words("""
    that who whom whose which where when if because unless until whether although though while whereas since why how
    what lest provided
""")
REPORTS = words("""
    said says say claimed claims claim argued argues believed believes believe reported reports stated states
    suggested suggests thought thinks think denied denies alleged alleges announced warned warns told estimated
    estimates
""")
PAIRING = words("between both either neither from")
# "No plan covers dental care and costs $5" says neither of its halves.
LIMITING = words("no none neither nobody nothing few only not never hardly rarely seldom")
