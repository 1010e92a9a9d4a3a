"""Whether a text is English, as far as its letters and its commonest words tell.

>>> is_english("Refund window: 30 days"), is_english("Die Frist beträgt 30 Tage und beginnt mit der Lieferung.")
(True, False)
"""

from __future__ import annotations

import re
from functools import lru_cache

from assay.text.words import words

_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_FOREIGN_SHARE = 0.3  # of the letters in another script: a quoted name has fewer
_ENOUGH = 2  # words of another language: one alone may be a name or a loan word
_READ = 600  # characters looked at

_ENGLISH = words("""
    the of and to in is are was were be been has have had it its that this these those for on with as at by from or
    not you your we they he she his her their will would can could may must should which who when if than there no
    only also after before into over between about more most all any each other do does did but so up out
""")
# Common words of other languages that are no English words and no everyday names.
_OTHERS = {
    "de": words("""
        der das und ist sind nicht ein eine einen einem einer mit auf für von zu wird werden wurde dem den des im bei
        auch nach oder über sich wenn nur noch kann muss aus bis sie wir ihr dass zum zur vom beträgt als keine kein
    """),
    "fr": words("""
        le les des est sont une dans pour que qui sur avec pas plus du au aux ne ce cette il elle vous nous leur sera
        peut par ou où été être ont aussi après avant entre dès selon même
    """),
    "es": words("""
        el los las una es son para que con por del no se su sus más pero como está están fue ser puede debe sobre
        entre después antes hasta cada también hay tiene mes días años
    """),
    "it": words("""
        il gli della dei delle degli una è sono per che con non del nel nella alla dal si più anche può deve essere
        stato questa questo entro dopo prima ogni come
    """),
    "pt": words("""
        os das dos uma é são para que com não por pelo pela mais mas como está foi ser pode deve sobre após antes até
        cada também tem em
    """),
    "nl": words("""
        het een van en is zijn niet voor met op aan bij wordt worden door naar ook als maar uit deze dit kan moet tot
        geen over na werd
    """),
    "sv": words("och att det är som en ett inte för på med av till kan ska från eller vid när om den har efter innan"),
    "pl": words("i w na z się nie jest są do że oraz od po dla przez być może jak lub tylko został"),
    "tr": words("ve bir bu için ile olarak daha çok gibi olan var değil sonra kadar ise en da de"),
}


@lru_cache(maxsize=4096)
def is_english(text: str) -> bool:
    """True unless the text shows another script, or more common words of another language than of English."""
    head = text[:_READ]
    letters = _LETTER.findall(head)
    if letters and sum(_LATIN.match(letter) is None for letter in letters) > _FOREIGN_SHARE * len(letters):
        return False
    said = [word.lower() for word in _WORD.findall(head)]
    english = sum(word in _ENGLISH for word in said)
    foreign = max(sum(word in common for word in said) for common in _OTHERS.values())
    return foreign < _ENOUGH or foreign <= english
