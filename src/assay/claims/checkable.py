"""What is no claim, and why: questions, opinions, refusals, remarks about the answer itself, and the like.

>>> why_not_checkable("I could not find the release date.")
'refusal'
>>> why_not_checkable("Revenue fell by 3 %.")
''
"""

from __future__ import annotations

import re

from assay.claims.grammar import is_statement

_MATERIAL = (
    r"(?:sources?|documents?|documentation|context|passages?|texts?|information|evidence|search results?|results"
    r"|excerpts?|materials?|snippets?|references?|knowledge base|data)"
)
_GIVEN = r"(?:provided|given|retrieved|available|supplied|above|following|attached|cited|relevant)"
_KNOWN_MATERIAL = (
    rf"(?:(?:the|these|those|your|all|all the|my)\s+)?(?:{_GIVEN}\s+)?{_MATERIAL}"
    rf"(?:\s+(?:{_GIVEN}|you (?:provided|gave|shared)|I (?:have|was given)|at hand))?"
)
_THE_MATERIAL = rf"(?:{_KNOWN_MATERIAL}|(?:the\s+)?(?:provided|supplied|attached|uploaded|retrieved)\s+[a-z]+)"
_SAYS = r"(?:states?|says?|indicates?|mentions?|shows?|notes?|suggests?|confirms?|reports?|explains?|describes?)"

_UNABLE = (
    r"(?:could\s+not|couldn(?:'|’)t|cannot|can\s+not|can(?:'|’)t|am\s+unable|was\s+unable|are\s+unable|were\s+unable"
    r"|am\s+not\s+able|do\s+not|don(?:'|’)t|did\s+not|didn(?:'|’)t|was\s+not\s+able|won(?:'|’)t|will\s+not)\s+"
    r"(?:\w+ly\s+)?(?:to\s+)?"
)
# "I cannot say for sure, but the bridge opened in 1955": the doubt is the speaker's, what follows is asserted.
_UNSURE = (
    r"(?:(?:i(?:'|’)?m sorry|i am sorry|sorry|unfortunately|regrettably|well|honestly|hm+),?\s+)?(?:"
    rf"(?:i|we)\s+{_UNABLE}(?:find|know|have|say|tell|verify|confirm|determine|locate|see|recall|remember|check|be|promise"
    r"|guarantee|swear|claim|answer|provide|give)\b[^.,;:!?\n]{0,100}"
    r"|(?:(?:i|we)(?:(?:'|’)(?:m|re)|\s+am|\s+are)\s+)?(?:not|no|un)[\s-]*(?:\w+[\s%]+){0,2}(?:sure|certain|positive|expert"
    r"|guarantees?|promises|aware|confident)\b[^.,;:!?\n]{0,60}"
    r"|(?:i|we)\s+(?:may|might|could)\s+(?:well\s+)?be\s+(?:wrong|mistaken|off|misremembering)\b[^.,;:!?\n]{0,60}"
    r"|(?:do\s+not|don(?:'|’)t)\s+(?:quote|hold)\s+me\b[^.,;:!?\n]{0,40}"
    r"|(?:correct\s+me\s+if\s+i|take\s+(?:this|it|that)\s+with\s+a)\b[^.,;:!?\n]{0,40}"
    r"|(?:this|that|it|which)\s+(?:is|may\s+be|might\s+be)\s+(?:just\s+|only\s+)?(?:a\s+guess|wrong|unverified|unconfirmed)\b"
    r"[^.,;:!?\n]{0,40}"
    r")\s*[,;—–-]?\s*(?:but|however|yet|still|though|nevertheless|nonetheless|that\s+said),?"
    r"|(?:as\s+far\s+as\s+(?:i|we)\s+(?:know|can\s+(?:tell|see)|am\s+aware|recall|remember)|to\s+(?:the\s+best\s+of\s+)?"
    r"(?:my|our)\s+knowledge|if\s+(?:i|we)\s+(?:remember|recall)(?:\s+(?:correctly|right(?:ly)?|well))?"
    r"|if\s+i(?:(?:'|’)m|\s+am)\s+not\s+mistaken|if\s+memory\s+serves(?:\s+me)?(?:\s+(?:right|well|correctly))?"
    r"|from\s+what\s+i\s+(?:know|can\s+tell|understand|remember|recall)),"
)
# What may stand before a claim without being part of it; the claim starts after the match.
FRAMING = re.compile(
    rf"(?:(?:based on|according to|as per|per|from|going by|as (?:stated|mentioned|described|noted|shown) in)\s+"
    rf"(?:the\s+)?{_THE_MATERIAL}"
    rf"|{_THE_MATERIAL}\s+(?:clearly\s+)?{_SAYS}\s+that"
    r"|(?:please\s+)?(?:note|keep in mind|remember|be aware|bear in mind)\s+that"
    r"|it(?:\s+is|'s|’s)\s+(?:important|worth|useful|interesting)\s+(?:to\s+note|noting|to\s+mention|mentioning"
    r"|to\s+remember)\s+that"
    r"|it\s+should\s+(?:also\s+)?be\s+noted\s+that"
    r"|in\s+(?:summary|conclusion|short)|to\s+(?:summarize|summarise|sum\s+up|answer\s+your\s+question)"
    r"|(?:let\s+me|i(?:(?:'|’)ll|\s+(?:will|can|must|should)))\s+(?:tell|remind|assure|inform)\s+you\s+that"
    r"|(?:my|this|the|our)\s+(?:answer|response|reply|summary)\s+(?:is|says|states)\s+that"
    r")\b:?,?(?=\s|$)\s?"
    r"|here(?:\s+is|(?:'|’)s)\b[^.:!?\n]{0,60}:(?=\s+\S)\s"
    r"|(?:(?:please|short|quick|final)\s+)?(?:note|answer|summary|conclusion|important|reminder|tl;?dr):(?=\s)\s"
    r"|(?:yes|no|sure|certainly|of\s+course|absolutely|correct|exactly|ok|okay|right)(?:,|\s*[—–-])(?=\s)\s",
    re.IGNORECASE,
)
_DOUBT = re.compile(rf"(?:{_UNSURE})(?=\s)\s", re.IGNORECASE)
_AGREEING = re.compile(r"(?:yes|no|sure|certainly|of|absolutely|correct|exactly|ok|okay|right)\b", re.IGNORECASE)

_ACKNOWLEDGEMENT = re.compile(
    r"(?:yes|no|nope|yep|sure(?: thing)?|certainly|of course|absolutely|definitely|exactly|right|correct|ok|okay|got it"
    r"|understood|hello|hi|hey|good (?:morning|afternoon|evening)|welcome|you(?:'|’)?re (?:very )?welcome|no problem"
    r"|(?:great|good|excellent) question|that(?:'|’)?s a (?:great|good) question|happy to help|glad (?:to|i could) help"
    r"|thanks?(?: you)?(?:,? (?:so|very) much)?(?: for\b.*)?"
    r"|(?:i )?hope (?:this|that|it) (?:helps?|answers?|clarifies)\b.*"
    r"|(?:i|we)(?:(?:'|’)(?:d|m|re|ll)| (?:will|would|am|are))(?: (?:also|always|be|more than))* "
    r"(?:happy|glad|here|ready|love) (?:to|for)\b.*"
    r"|i(?:(?:'|’)(?:d|ll)| (?:can|will|would))(?: also)? (?:help|assist|walk you|explain)\b.*"
    r"|i apologi[sz]e\b.*|my apologies\b.*"
    r"|(?:i(?:(?:'|’)m| am) )?(?:so |very )?sorry(?: (?:for|about|to hear|that)\b.*)?"
    r"|i understand(?: your| that you|[.!]).*)"
    r"(?: there)?[\s.!,]*",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"(?:i(?:'|’)?m sorry,?|i am sorry,?|sorry,?|unfortunately,?|regrettably,?|however,?)?\s*(?:but\s+)?(?:"
    rf"i\s+{_UNABLE}(?:find|know|have|answer|provide|help|verify|determine|locate|see|access|confirm|assist|say|tell|give"
    r"|offer|share|discuss|comment|identify|retrieve|comply|do\s+that)\b"
    # "We do not offer refunds" is a rule of whoever speaks, "we could not find" is a refusal.
    rf"|we\s+{_UNABLE}(?:find|know|answer|verify|determine|locate|confirm|say|tell|identify|retrieve"
    r"|(?:have|provide|give)\s+(?:\w+\s+){0,2}(?:information|details?|data|evidence|answers?))\b"
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
    r"(?:suppose|imagine|assume|assuming|let(?:'|’)?s\s+(?:say|assume|suppose|imagine))\b(?:\s+that)?\s+\w|hypothetically"
    r"|say\s+(?:that\s+)?(?:you|we|i|he|she|they|it|someone|somebody|an?|the)\b"
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
_DETAILS = r"(?:(?:any|all|the|some|a|more|most|further|additional|full|complete|latest|detailed|specific|other)\s+)*"
# "See the guide for details", "See Sec. 5": they point elsewhere; "See a doctor if it spreads" is advice.
_POINTER = re.compile(
    rf"(?:please\s+)?(?:see|refer\s+to|consult|check(?:\s+out)?|visit|read|view|review|contact|ask)\b[^.;\d]{{0,120}}?\bfor\s+"
    rf"{_DETAILS}(?:details?|information|info|instructions?|guidance|updates?|examples?|context|documentation)\b[^,;\d]*$"
    r"|(?:please\s+)?(?:see|refer\s+to)\s+(?:also\b|https?://\S+\s*$|sec(?:tions?\b|\.)|§|fig(?:ures?\b|\.)|tables?\b|pages?\b|chapters?\b"
    r"|appendi\w+|annex\b|articles?\b|art\.|(?:the|our|this|your)\s+(?:\S+\s+){0,4}?(?:guide|documentation|docs|manual"
    r"|section|table|figure|link|page|article|appendix|faqs?|handbook|website|leaflet|terms|policy)\b)[^,;]{0,80}$",
    re.IGNORECASE,
)
_NEED = (
    r"(?:questions?|help|assistance|concerns?|clarification|support"
    r"|(?:more|further|additional|other)\s+(?:information|details?|info))\b"
)
_CONTACT = (
    r"(?:contact|e-?mail|message|call|write\s+to|reach\s+out(?:\s+to)?|get\s+in\s+touch(?:\s+with)?|ask|talk\s+to"
    r"|speak\s+(?:to|with)|come\s+back|return)\b"
)
_ASK_BACK = (
    r"(?:let\s+(?:me|us)\s+know|feel\s+free|(?:do\s+not|don(?:'|’)t)\s+hesitate|(?:just\s+)?ask\s+(?:me|us|away)"
    r"|just\s+ask)\b"
)
# What no source could decide: requests and offers of whoever answers.
_REQUEST = re.compile(
    r"(?:(?:and|but|so|also|otherwise|again|finally),?\s+)?(?:please\s+|kindly\s+|just\s+|also\s+|always\s+)*(?:"
    rf"{_ASK_BACK}"
    rf"|{_CONTACT}[^.;]{{0,80}}?\b(?:if|whenever|should)\s+(?:you|there|anything)\b[^.;]{{0,60}}?\b{_NEED}"
    rf"|{_CONTACT}(?:\s+(?:me|us))?\s+(?:any\s?time|again|with\s+(?:any\s+)?(?:other\s+|further\s+)?questions?\b)"
    rf"|(?:if|should)\s+(?:you|there|anything)\b[^.]{{0,160}}?,\s+(?:then\s+)?(?:please\s+|just\s+)*"
    rf"(?:{_ASK_BACK}|i(?:(?:'|’)(?:d|m|ll)|\s+(?:can|could|will|would|am))\b)"
    rf"|(?:if|should)\s+you\b[^,]{{0,80}}?\b{_NEED}[^,]{{0,60}},\s+(?:please\s+|just\s+|you\s+can\s+(?:always\s+)?)*{_CONTACT}"
    r")",
    re.IGNORECASE,
)
_PLACE = re.compile(r"[\d@]|www\.|://")
_WISH = (
    r"(?:(?:i|we)\s+(?:wish|hope)\s+you\b[^.!]{0,80}|(?:wishing|hoping)\s+you\b[^.!]{0,80}"
    r"|enjoy(?:\s+(?:your|it|yourself|every)\b[^.!,\d$€£%]{0,40})?"
    r"|have\s+(?:an?\s+)?(?:\w+\s+){0,2}(?:day|time|trip|flight|weekend|week|evening|night|morning|afternoon|journey|stay"
    r"|holidays?|vacation|one|year|meal|ride|visit|fun)(?:\s+(?:ahead|there|everyone))?"
    r"|stay\s+(?:safe|well|healthy|strong|positive|curious|tuned)|take\s+(?:good\s+)?care(?:\s+of\s+yourself)?"
    r"|(?:good|best\s+of)\s+luck(?:\s+(?:with|on|in|to)\b[^.!]{0,60})?|all\s+the\s+best\b[^.!]{0,40}"
    r"|(?:have\s+(?:a\s+)?)?safe\s+(?:travels?|journey|trip|flight|drive)|happy\s+(?:\w+ing|birthday|holidays?|new\s+year|easter)"
    r"|merry\s+christmas|bon\s+(?:voyage|app[eé]tit)|congrat(?:s|ulations)\b[^.!]{0,60}|get\s+well(?:\s+soon)?|cheers"
    r"|welcome(?:\s+(?:back|aboard|home))?(?:\s+to\b[^.!]{0,40})?|(?:see|talk\s+to)\s+you(?:\s+(?:soon|there|then|later|again))"
    r"|(?:(?:i|we)(?:\s+am|(?:'|’)m|\s+are|(?:'|’)re)?\s+)?look(?:ing)?\s+forward\s+to\b[^.!]{0,80}"
    r"|keep\s+up\s+the\s+(?:good|great)\s+work|you(?:(?:'|’)ve)?\s+got\s+this)"
)
# Each wish is taken once and as long as it comes: a row of them can be parted in too many ways to try all.
_WISHES = re.compile(
    rf"(?:and\s+|so\s+)?(?>{_WISH})(?:(?:,?\s++and\s++|[,!.]\s*+)(?>{_WISH}))*+[\s.!,🙂😊]*+", re.IGNORECASE
)
_SIGN_OFF = re.compile(
    r"(?:(?:with\s+)?(?:(?:best|kind|warm|kindest|warmest)\s+)?(?:regards|wishes)|(?:yours\s+)?(?:sincerely|truly|faithfully)"
    r"|sincerely\s+yours|respectfully|cordially|warmly)(?:,?\s+[^.!?:;\d]{1,40})?[\s.!,]*"
    r"|(?:thanks(?:\s+again)?|thank\s+you|cheers|best|love),\s+(?:the\s+)?[^\W\d_]+(?:\s+[^\W\d_]+){0,2}[\s.!,]*",
    re.IGNORECASE,
)
_ABOUT_ANSWER = (
    r"(?:(?:this|my|the|some)\s+)?(?:information|answer|response|knowledge|content|details|reply|summary|overview)"
    r"(?:\s+(?:above|here|below|provided|given|i\s+\w+(?:\s+you)?))?"
)
_ADVICE = (
    r"(?:legal|medical|financial|professional|tax|investment|health|clinical|expert)\s+"
    r"(?:(?:or|and|,)\s+\w+\s+)?(?:advice|diagnosis|counsel|guidance|opinion)\b"
)
_DISCLAIMER = re.compile(
    r"(?:but|and|also|however|again|remember|please\s+note),?\s+(?:that\s+)?(?P<rest>.*)|disclaimer:"
    rf"|(?:{_ABOUT_ANSWER}|this|that|it|nothing\s+(?:here|above|in\s+this\s+\w+))"
    rf"(?:\s+(?:is|does|should|shall|must|can|may|constitutes?)|(?:'|’)s)[^.]{{0,60}}?\b{_ADVICE}"
    rf"|{_ABOUT_ANSWER}\s+(?:may|might|could)\s+(?:\w+\s+)?(?:be|have|not\s+be)\s+(?:\w+\s+)?(?:out(?:\s|-)of(?:\s|-)date|outdated"
    r"|incomplete|inaccurate|incorrect|wrong|changed|obsolete|up(?:\s|-)to(?:\s|-)date|current|accurate|complete)\b"
    rf"|(?:{_ABOUT_ANSWER}|this|it)\s+is\s+(?:provided\s+|intended\s+|meant\s+)?(?:only\s+)?for\s+(?:\w+\s+){{0,2}}"
    r"(?:information(?:al)?|educational|general|reference)\b[^.]{0,40}(?:only|purposes?)\b"
    r"|for\s+(?:\w+\s+)?(?:information(?:al)?|educational|reference)\s+purposes\s+only[\s.]*$"
    r"|i(?:\s+am|(?:'|’)m)\s+not\s+(?:an?|your|the)\s+(?:\w+\s+){0,2}?(?:doctor|lawyer|attorney|physician|accountant|advis[eo]r"
    r"|expert|professional|pharmacist|therapist|nurse|specialist|human|vet|veterinarian)\b"
    r"|i(?:\s+am|(?:'|’)m)\s+(?:just\s+|only\s+)?an?\s+(?:ai|artificial|(?:large\s+)?language\s+model|chatbot|virtual)\b"
    r"|i\s+(?:may|might|could|can)\s+(?:\w+\s+)?(?:be|make|have)\s+(?:\w+\s+)?(?:wrong|mistaken|mistakes?|errors?|outdated|incorrect)\b"
    r"|[^.;]{0,80}\bchanged\s+since\s+my\s+(?:last\s+)?(?:update|training|knowledge)\b"
    r"|my\s+(?:knowledge|training)(?:\s+(?:data|cut-?off))?\s+(?:is|was|ends?|only|does|has|may|might|goes|stops)\b"
    r"|(?:please\s+)?(?:always\s+)?(?:consult|speak\s+(?:to|with)|talk\s+to|seek|check\s+with)\b[^.\d]{0,50}?\b(?:professional"
    r"|expert|attorney|lawyer|advis[eo]r|specialist)s?\b[^.\d]{0,40}?\bfor\b[^.\d]{0,40}?\b(?:advice|guidance|your)\b"
    r"|(?:please\s+)?(?:always\s+)?(?:verify|double-?check|confirm)\s+(?:this|the\s+above|all)\s+(?:information|answer|details)?",
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
_WORD = re.compile(r"[^\W_]")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_REFERENCES = re.compile(
    r"\s*(?:sources?|references?|citations?|bibliography|further reading|works cited)[ \t:.]*(?:\n|$)", re.IGNORECASE
)
_HEAD = 400
_LEADING_MARKS = "\"'“”‘’( \t\n"


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
    if _WISHES.fullmatch(head) or _SIGN_OFF.fullmatch(head):
        return "wish"
    if _REFUSAL.match(head):
        return "refusal"
    if _HYPOTHETICAL.match(head):
        return "hypothetical"
    if _OPINION.match(head) or _is_hedged(head):
        return "opinion"
    if _is_disclaimer(head):
        return "disclaimer"
    if _REQUEST.match(head) and not _PLACE.search(head):
        return "imperative"
    if _META.match(head) or _POINTER.match(head) or introduces(text):
        return "meta"
    return ""


def _is_disclaimer(head: str) -> bool:
    match = _DISCLAIMER.match(head)
    return match is not None and (match["rest"] is None or _is_disclaimer(match["rest"]))


def _is_hedged(head: str) -> bool:
    lowered = head.lower()
    return any(hint in lowered for hint in _HINTS) and _HEDGE.search(lowered) is not None


def opens_references(text: str) -> bool:
    """Whether a line is the title of a list of sources."""
    return _REFERENCES.match(text) is not None


def doubt_end(text: str, start: int) -> int:
    """Where a speaker's doubt before a claim ends ("I cannot say for sure, but "); `start` if no claim follows one."""
    match = _DOUBT.match(text, start)
    return match.end() if match and not why_not_checkable(text[match.end() :]) else start


_TITLED = re.compile(  # what stands before the title of a work: an author, a year, a quotation mark, a link
    r"[\[\"“«‹*_]\s*$|\(\s*\d{4}[a-z]?\s*\)[.,:]?\s*$"
    r"|(?:^|\n)[\W\d]{0,12}[^\W\d_][\w'’-]{1,30},\s(?:[^\W\d_]\.[\s-]?){1,3}[^\n]{0,200}$|\bet\s+al\.[^\n]{0,40}$"
)
_LISTED = re.compile(r"(?:sources?|references?|citations?):\s", re.IGNORECASE)
_ASKING_TITLE = re.compile(r"(?:how|why|what|when|where|who|whose|which|whether)\b", re.IGNORECASE)


def asks_what(text: str) -> bool:
    """Whether a title names what is explained ("How it works") and states nothing."""
    return _ASKING_TITLE.match(text) is not None


def names_source(text: str, before: str) -> bool:
    """Whether a line under "References" names a work, after what stands before it on its line; a statement does not.

    >>> names_source("It was a failure.", "Smith, J. (2020). "), names_source("It opened in 1955.", "[1] ")
    (True, False)
    """
    return _TITLED.search(before) is not None or asks_what(text) or not is_statement(text)


def framing_end(text: str, start: int) -> tuple[int, str]:
    """Where the framing before a claim ends ("Based on the provided sources, ") and what it is; `start` if none is."""
    head = start
    while head < len(text) and text[head] in _LEADING_MARKS:
        head += 1
    match = FRAMING.match(text, head)
    if not match:
        # "Sources: the bridge opened in 1955" names no source.
        listed = _LISTED.match(text, head)
        return (listed.end(), "meta") if listed and not names_source(text[listed.end() :], "") else (start, "")
    return match.end(), "acknowledgement" if _AGREEING.match(match.group()) else "meta"


_DIGITS = re.compile(r"(?<!\d)(?!(?:19|20)\d\d(?!\d))\d")


def introduces(text: str) -> bool:
    """Whether a sentence only announces what follows: "The main side effects are:"; a number but a year states more."""
    return text.rstrip("*_ \n").endswith(":") and not _DIGITS.search(text)
