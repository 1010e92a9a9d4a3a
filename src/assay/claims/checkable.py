"""What is no claim, and why: questions, opinions, refusals, remarks about the answer itself, and the like.

>>> why_not_checkable("I could not find the release date.")
'refusal'
>>> why_not_checkable("Revenue fell by 3 %.")
''
"""

from __future__ import annotations

import re

from assay.claims.verbs import AFTER_IMPERATIVE, AUXILIARIES, DOUBTFUL_IMPERATIVES, IMPERATIVES

_MATERIAL = (
    r"(?:sources?|documents?|documentation|context|passages?|texts?|information|evidence|search results?|results"
    r"|excerpts?|materials?|snippets?|references?|knowledge base|data)"
)
_GIVEN = r"(?:provided|given|retrieved|available|supplied|above|following|attached|cited|relevant)"
_THE_MATERIAL = (
    rf"(?:(?:the|these|those|your|all|all the|my)\s+)?(?:{_GIVEN}\s+)?{_MATERIAL}"
    rf"(?:\s+(?:{_GIVEN}|you (?:provided|gave|shared)|I (?:have|was given)|at hand))?"
)
_SAYS = r"(?:states?|says?|indicates?|mentions?|shows?|notes?|suggests?|confirms?|reports?|explains?|describes?)"

# What may stand before a claim without being part of it; the claim starts after the match.
FRAMING = re.compile(
    rf"(?:(?:based on|according to|as per|per|from|going by|as (?:stated|mentioned|described|noted|shown) in)\s+"
    rf"(?:the\s+)?{_THE_MATERIAL}"
    rf"|{_THE_MATERIAL}\s+(?:clearly\s+)?{_SAYS}\s+that"
    r"|(?:please\s+)?(?:note|keep in mind|remember|be aware|bear in mind)(?:\s+that|:)"
    r"|it(?:\s+is|'s|’s)\s+(?:important|worth|useful|interesting)\s+(?:to\s+note|noting|to\s+mention|mentioning"
    r"|to\s+remember)\s+that"
    r"|it\s+should\s+(?:also\s+)?be\s+noted\s+that"
    r"|in\s+(?:summary|conclusion|short)|to\s+(?:summarize|summarise|sum\s+up|answer\s+your\s+question)"
    r")\b:?,?(?=\s|$)\s?"
    r"|(?:yes|no|sure|certainly|of\s+course|absolutely|correct|exactly|ok|okay|right)(?:,|\s*[—–-])(?=\s)\s",
    re.IGNORECASE,
)
_AGREEING = re.compile(r"(?:yes|no|sure|certainly|of|absolutely|correct|exactly|ok|okay|right)\b", re.IGNORECASE)

_ACKNOWLEDGEMENT = re.compile(
    r"(?:yes|no|nope|yep|sure(?: thing)?|certainly|of course|absolutely|definitely|exactly|right|correct|ok|okay|got it"
    r"|understood|hello|hi|hey|good (?:morning|afternoon|evening)|welcome|you(?:'|’)?re (?:very )?welcome|no problem"
    r"|great question|good question|that(?:'|’)?s a (?:great|good) question|happy to help|glad (?:to|i could) help"
    r"|thanks?(?: you)?(?:,? (?:so|very) much)?(?: for\b.*)?|i hope (?:this|that|it) helps?\b.*"
    r"|hope (?:this|that|it) helps?\b.*|let me know (?:if|whether)\b.*|feel free to\b.*|don(?:'|’)t hesitate to\b.*"
    r"|i(?:'|’)?(?:d| would)(?: be)? (?:happy|glad|love) to (?:help|assist)\b.*"
    r"|i(?:'|’)?m (?:happy|glad|here) to help\b.*"
    r"|i apologi[sz]e\b.*|my apologies\b.*|sorry(?: for| about)?\b.*|i understand(?: your| that you|[.!]).*)"
    r"(?: there)?[\s.!,]*",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"(?:i(?:'|’)?m sorry,?|i am sorry,?|sorry,?|unfortunately,?|regrettably,?|however,?)?\s*(?:but\s+)?(?:"
    r"(?:i|we)\s+(?:could\s+not|couldn(?:'|’)t|cannot|can\s+not|can(?:'|’)t|am\s+unable|was\s+unable|are\s+unable"
    r"|am\s+not\s+able|do\s+not|don(?:'|’)t|did\s+not|didn(?:'|’)t|was\s+not\s+able|won(?:'|’)t|will\s+not)\s+(?:\w+ly\s+)?"
    r"(?:to\s+)?(?:find|know|have|answer|provide|help|verify|determine|locate|see|access|confirm|assist|say|tell|give"
    r"|offer|share|discuss|comment|identify|retrieve|comply|do\s+that)\b"
    r"|i(?:'|’)?m\s+(?:unable|not\s+able)\b|i(?:'|’)?m\s+not\s+(?:aware|familiar)\b|i\s+have\s+no\s+(?:information|data)\b"
    r"|as\s+an\s+ai\b"
    r"|(?:there\s+(?:is|was)\s+)?(?:no|not\s+enough|insufficient)\s+(?:\w+\s+)?(?:information|evidence|mention|data|context)\b"
    r"[^.]{0,40}?\b(?:found|available|provided|given|in\s+the|on\s+this|about|to\s+answer|regarding)\b"
    rf"|(?:the\s+|these\s+|your\s+)?(?:{_GIVEN}\s+)?{_MATERIAL}(?:\s+{_GIVEN})?\s+(?:do|does|did)(?:\s+not|n(?:'|’)t)\s+"
    r"(?:\w+ly\s+)?(?:mention|contain|specify|provide|include|say|state|address|cover|discuss|give|answer|indicate|describe)"
    r"|(?:this|that|it)(?:\s+is|(?:'|’)s)\s+not\s+(?:mentioned|specified|stated|covered|provided|addressed)\s+in\b"
    r")",
    re.IGNORECASE,
)
_OPINION = re.compile(
    r"(?:(?:but|and|so|well|however),?\s+)?(?:"
    r"(?:i|we)(?:\s+(?:personally|really|honestly|do|would|just))?(?:'d|’d)?\s+(?:think|believe|feel|guess|suspect|suppose"
    r"|imagine|assume|say|hope|prefer|doubt|bet|reckon)\b"
    r"|i(?:'d|’d|\s+would)?\s+(?:strongly\s+)?(?:recommend|suggest|advise|argue)\b|i(?:'|’)?m\s+not\s+(?:sure|certain)\b"
    r"|personally\b|imo\b|imho\b|maybe\b|perhaps\b|honestly,|frankly,"
    r"|(?:in|to|from)\s+my\s+(?:\w+\s+)?(?:opinion|view|mind|experience|perspective|knowledge|point\s+of\s+view)\b"
    r"|as\s+far\s+as\s+i\b|if\s+i\s+(?:remember|recall)\b"
    r")",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:in\s+my\s+(?:\w+\s+)?(?:opinion|view)|maybe|perhaps|i\s+(?:think|believe|guess|suppose))\b", re.IGNORECASE
)
_HINTS = ("maybe", "perhaps", "in my ", " i ", "\ni ")
_HYPOTHETICAL = re.compile(
    r"(?:suppose|imagine|assume|assuming|say|let(?:'|’)?s\s+(?:say|assume|suppose|imagine))\b(?:\s+that)?\s+\w|hypothetically"
    r"|in\s+a\s+hypothetical|for\s+the\s+sake\s+of\s+argument|what\s+if\b"
    r"|(?:if\b|had\s+\w+(?:\s+\w+){0,3}?\s+(?:been|not))[^.]{0,200}?\b(?:were|had|was|been)\b[^.]{0,200}?"
    r"\b(?:would|could|might)(?:\s+not|n(?:'|’)t)?\s+(?:\w+ly\s+)?(?:have|be|\w+)",
    re.IGNORECASE,
)
_META = re.compile(
    r"(?:here(?:\s+is|\s+are|(?:'|’)s)\b|below\s+(?:is|are|you)\b|the\s+following\b[^.]{0,80}:\s*$|i(?:'ll|’ll|\s+will)\b"
    r"|let\s+me\b|this\s+(?:answer|response|summary|reply|overview)\b|(?:in|for)\s+this\s+(?:answer|response|summary)\b"
    r"|the\s+(?:answer|response|summary)\s+(?:above|below)\b|as\s+(?:mentioned|noted|discussed|explained)\s+(?:above|below"
    r"|earlier|previously)[\s.,]*$|see\s+(?:above|below)\b|i(?:'ve|’ve|\s+have)\s+(?:listed|summari[sz]ed|included|answered"
    r"|provided|outlined|compiled)\b|my\s+(?:answer|response)\b|sources?:|references?:|citations?:)",
    re.IGNORECASE,
)
_CONNECTOR = re.compile(
    r"(?:and|but|or|so|also|however|therefore|thus|hence|moreover|furthermore|additionally|meanwhile|then|next|finally"
    r"|first(?:ly)?|second(?:ly)?|third(?:ly)?|lastly|instead|otherwise|nevertheless|nonetheless|similarly|likewise"
    r"|consequently|accordingly|overall|in\s+addition|in\s+contrast|in\s+particular|for\s+example|for\s+instance"
    r"|on\s+the\s+other\s+hand|on\s+the\s+one\s+hand|as\s+a\s+result|in\s+other\s+words|that\s+said|in\s+fact|of\s+note"
    r"|by\s+contrast|at\s+the\s+same\s+time|in\s+summary|in\s+conclusion|in\s+short|to\s+summari[sz]e)[\s.,:;…—–-]*",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"(?:if|when|to|before|after|for|once|in\s+case|first|next|then|finally|instead|otherwise|also|and)\b[^,.]{0,200},\s+"
    r"(?:then\s+)?|(?:first|next|then|finally|also|and|always|never|simply|just)\s+",
    re.IGNORECASE,
)
_TWO_WORDS = re.compile(r"(?P<first>[^\W\d_]+(?:['’][^\W\d_]+)?)(?P<colon>:)?(?:\s+(?P<second>[^\s,.;:!?]+))?")
_WORD = re.compile(r"[^\W_]")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_REFERENCES = re.compile(
    r"[*_\s]*(?:sources?|references?|citations?|bibliography|further reading|works cited)[ \t:*_.]*(?:\n|$)",
    re.IGNORECASE,
)
_HEAD = 400
_LEADING_MARKS = "*_\"'“”‘’( \t\n`>~"


def why_not_checkable(text: str) -> str:
    """The reason why a stretch states nothing that can be checked, or nothing if it is a claim."""
    head = text[:_HEAD].lstrip(_LEADING_MARKS)
    if not _WORD.search(text):
        return "connector"
    if text.rstrip("*_\"'”’)] \t\n").endswith(("?", "？", "؟")):
        return "question"
    if _ADDRESS.fullmatch(head):
        return "meta"
    if _CONNECTOR.fullmatch(head):
        return "connector"
    if _ACKNOWLEDGEMENT.fullmatch(head):
        return "acknowledgement"
    if _REFUSAL.match(head):
        return "refusal"
    if _HYPOTHETICAL.match(head):
        return "hypothetical"
    if _OPINION.match(head) or _is_hedged(head):
        return "opinion"
    if _META.match(head) or _introduces(text):
        return "meta"
    if _is_imperative(head):
        return "imperative"
    return ""


def _is_hedged(head: str) -> bool:
    lowered = head.lower()
    return any(hint in lowered for hint in _HINTS) and _HEDGE.search(lowered) is not None


def opens_references(text: str) -> bool:
    """Whether a line is the title of a list of sources."""
    return _REFERENCES.match(text) is not None


def framing_end(text: str, start: int, end: int) -> tuple[int, str]:
    """Where the framing before a claim ends ("Based on the provided sources, ") and what it is; `start` if none."""
    head = start
    while head < end and text[head] in _LEADING_MARKS:
        head += 1
    match = FRAMING.match(text, head, end)
    if not match:
        return start, ""
    return match.end(), "acknowledgement" if _AGREEING.match(match.group()) else "meta"


def _introduces(text: str) -> bool:
    """Whether a sentence only announces what follows: "The main side effects are:", without a number of its own."""
    return text.rstrip("*_ \n").endswith(":") and not any(char.isdigit() for char in text)


def _is_imperative(head: str) -> bool:
    if head[:6].lower() == "please":
        return True
    if _starts_with_order(head):
        return True
    match = _CONDITION.match(head)
    return bool(match) and _starts_with_order(head[match.end() :] if match else "")


def _starts_with_order(head: str) -> bool:
    """Whether the first word is an order: "Take the pill", not "Use of force is banned" or "Contact lenses are …"."""
    match = _TWO_WORDS.match(head)
    if not match or match["colon"]:
        return False
    first, second = match["first"].lower().replace("’", "'"), (match["second"] or "").strip('*_`"“').lower()
    if first in ("do", "don't", "never", "always") and (second in ("not", "n't") or second in IMPERATIVES):
        return True
    if first not in IMPERATIVES:
        return False
    if not second or second in AFTER_IMPERATIVE or not second[0].isalpha():
        return True
    if first in DOUBTFUL_IMPERATIVES:
        return False
    return not any(word in AUXILIARIES or word.endswith(("s", "ed")) for word in head.lower().split()[1:12])
