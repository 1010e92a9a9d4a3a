"""A small lexicon that stands in for a tagger: which words are verbs, and what may stand around one."""

from __future__ import annotations

from assay.text.words import words

BE_HAVE = words("am is are was were be been being has have had isn't aren't wasn't weren't hasn't haven't hadn't")
MODALS = words("""
    will would can could may might must shall should cannot won't wouldn't can't couldn't mustn't shouldn't do does
    did don't doesn't didn't
""")
AUXILIARIES = (BE_HAVE | MODALS) - words("be been being")

# Past forms that are no participles, and verbs that have no passive: after these no helper verb is missing.
PLAIN_PASTS = words("""
    went came became wrote gave took saw began grew knew spoke drove flew drew fell rose chose broke sang swam ran
    ate wore stole froze forgot threw blew shook rode woke died lived remained emerged arrived occurred happened
    existed appeared disappeared retired graduated emigrated collapsed belonged consisted resigned travelled
    traveled participated competed debuted lasted
""")
# Past forms that are participles too ("won", "was won").
MIXED_PASTS = words("""
    won lost made built held led left found met paid said sold sent spent stood taught thought told bought brought
    caught fought felt kept meant set put cut hit let shut read spread cost beat fed fled hung laid lent lit sought
    shot slept struck swept bred dealt had got hurt quit sat split swung wound overcame understood underwent
    withdrew
""")
# Present forms that are nothing else ("employs"), and those that are plural nouns too ("works", "exports").
PRESENTS = words("""
    employs operates produces contains includes provides requires allows reduces affects consists owns serves
    reaches remains becomes makes takes gives gets shows means belongs begins sells publishes generates connects
    prevents improves enables helps creates protects inhibits binds stimulates manages maintains receives sends
    raises lowers pays earns spends weighs extends flows grows occurs leads teaches kills destroys develops
    comprises represents applies governs prohibits expires follows precedes occupies converts absorbs emits rotates
    accepts delivers writes throws has does goes says comes knows thinks sees keeps brings carries varies depends
    exceeds equals infects lies lasts belongs recommends specifies describes involves consumes combines competes
    specialises specializes encourages defines
""")
MIXED_PRESENTS = words("""
    offers uses causes increases covers lives works runs supports features hosts holds stands ends starts handles
    drives blocks supplies returns costs measures borders rises falls plays studies treats builds designs exports
    imports ranks limits grants orbits rejects charges refunds ships stores reads calls prints needs wants looks
    forms turns moves acts ranges spreads orders
""")
# Of those, the ones that go on with a preposition ("and stands on the border"), where no noun does.
POSTURES = words("stands lives ranks rises orbits starts ends")
# Words in -ed that are mostly adjectives or no verbs at all.
NOT_PASTS = words("""
    hundred united limited related based located called named estimated so-called advanced combined required
    increased reduced detailed mixed sacred naked wicked rugged aged skilled gifted unprecedented need indeed speed
    breed seed feed exceed proceed succeed shed sled embed
""")

DETERMINERS = words("""
    the a an this that these those its his her their our your my some any no each every all both several many most
    few another other such one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty
    hundreds thousands millions billions more less fewer nearly about almost approximately around over roughly only
    up
""")
PREPOSITIONS = words("""
    of in on at by for from with without to into onto over under between among through during before after since
    until against about across along around as per via near within beyond toward towards upon off out despite like
""")
OBJECT_PRONOUNS = words("him them me us it you himself herself itself themselves")
NOMINATIVES = words("he she they we i it who")
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
