"""A true sentence said a little differently, nothing added: what must not raise an alarm."""

from __future__ import annotations

import random
import re

_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_SAME = (
    (r"\b(\d{1,2}) (" + _MONTH + r") (\d{4})\b", r"\2 \1, \3"),
    (r"\b(" + _MONTH + r") (\d{1,2}), (\d{4})\b", r"\2 \1 \3"),
    (r"(?<=\d) km\b", " kilometres"),
    (r"(?<=\d) kg\b", " kilograms"),
    (r"(?<=\d) m\b(?!\w)", " metres"),
    (r"(?<=\d)%", " percent"),
    (r"(?<=\d) percent\b", "%"),
    (r"(?<=\d),(?=000\b)", ""),
    (r"\babout (?=\d)", "approximately "),
    (r"\bapproximately (?=\d)", "about "),
    (r"\bmore than (?=\d)", "over "),
    (r"\bbegan\b", "started"),
    (r"\bstarted\b", "began"),
    (r"\blocated in\b", "situated in"),
    (r"\bsituated in\b", "located in"),
    (r"\bwas founded\b", "was established"),
    (r"\bwas established\b", "was founded"),
    (r"\bbecause\b", "since"),
    (r"\balso known as\b", "also called"),
    (r"\bsuch as\b", "for example"),
    (r"\bhowever, ", ""),
    (r"\bas well as\b", "and"),
    (r"\bis not\b", "isn’t"),
    (r"\bwas not\b", "wasn’t"),
    (r"\bdoes not\b", "doesn’t"),
    (r"\bdid not\b", "didn’t"),
    (r"\bbest known for\b", "most famous for"),
    (r"\bpassed away\b", "died"),
    (r"\bin order to\b", "to"),
    (r"\bwas released\b", "came out"),
    (r"\bchildren\b", "kids"),
    (r"\bconstructed\b", "built"),
    (r"\bbuilt\b", "constructed"),
    (r"\bannounced\b", "made public"),
    (r"\breached the summit\b", "got to the summit"),
    (r"\bnearly (?=\d)", "almost "),
    (r"\bUnited States\b", "US"),
    (r" also(?= [a-z]+ed\b| [a-z]+s\b)", ""),
    (r"(?<=[a-z] )often\b", "frequently"),
    (r"(?<=[a-z] )usually\b", "normally"),
    (r"(?<=[a-z] )important\b", "significant"),
    (r"(?<=[a-z] )main\b", "principal"),
    (r"(?<=[a-z] )famous\b", "well-known"),
    (r"(?<=[a-z] )several\b", "a number of"),
    (r"\bled to\b", "resulted in"),
    (r"\bresulted in\b", "led to"),
    (r"\bcreated\b", "made"),
    (r"\brequired\b", "needed"),
    (r"\brequires\b", "needs"),
    (r"\bprovides\b", "offers"),
    (r"\bprovided\b(?= (?:a|an|the)\b)", "offered"),
    (r"\bshowed that\b", "indicated that"),
    (r"\bshows that\b", "indicates that"),
    (r"\balthough\b", "though"),
    (r"\bAlthough\b", "Though"),
    (r"\bthroughout\b", "all through"),
    (r"\bmade up of\b", "composed of"),
    (r"\bcomposed of\b", "made up of"),
    (r"\bas a result of\b", "because of"),
    (r"\bbecause of\b", "owing to"),
    (r"\ba total of\b ", ""),
    (r"\bprimarily\b", "mainly"),
    (r"\bmainly\b", "primarily"),
    (r"\bprior to\b", "before"),
    (r"\bwithin the\b", "inside the"),
    (r"\bincluding\b", "among them"),
    (r"\battempted to\b", "tried to"),
    (r"\bobtained\b", "got"),
    (r"\bpurchased\b", "bought"),
    (r"\bbought\b", "purchased"),
    (r"\bknown as\b", "called"),
    (r"\s\([^()]{3,80}\)", ""),
    (r", which [^,;:.()]{10,120}\.$", "."),
    (r", (?:but|although|though|while) (?:it|he|she|they|the|this|these|its) [^;:()]{10,160}\.$", "."),
)
_FRONTED = re.compile(r"^((?:In|On|During|After|Since|By) [^,]{3,30}), ([a-zA-Z].+)\.$")


def reword(sentence: str, seed: int = 0) -> str | None:
    """The sentence with up to two things said otherwise or left out; None where none of them can be.

    >>> reword("It was found on 8 May 1978.")
    'It was found on May 8, 1978.'
    """
    dice = random.Random(f"{seed}:{sentence}")
    fitting = [(pattern, new) for pattern, new in _SAME if re.search(pattern, sentence)]
    said = sentence
    for pattern, new in dice.sample(fitting, min(2, len(fitting))):
        said = re.sub(pattern, new, said, count=1)
    moved = _FRONTED.match(said)
    if moved and "," not in moved[2] and (not fitting or dice.random() < 0.5):
        first, rest = moved[1], moved[2]
        said = f"{rest[0].upper()}{rest[1:]} {first[0].lower()}{first[1:]}."
    return said if said != sentence else None
