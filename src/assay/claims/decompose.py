"""Compound sentences taken apart where a rule is certain; in doubt a sentence stays whole.

>>> text = "Marie Curie was born in Warsaw and won two Nobel Prizes."
>>> [clause.completed(text[clause.words : clause.end]) for clause in split_clauses(text, 0, len(text))]
['Marie Curie was born in Warsaw', 'Marie Curie won two Nobel Prizes']
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.claims.grammar import LONGEST_SUBJECT, finite, plain_subject, predicate, words_of
from assay.claims.verbs import ADVERBS, BE_HAVE, BINDERS, MODALS, PAIRING, REPORTS


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of a sentence: `start` with its connector ("and"), `words` without, and the subject it shares."""

    start: int
    words: int
    end: int
    subject: str = ""
    whole: bool = False

    def completed(self, own: str) -> str:
        """What the clause says in its own words, with the subject it shares; a stop stays with a whole sentence."""
        if self.whole:
            return own
        own = own.rstrip(" ,;.")
        return f"{self.subject} {own}" if self.subject else own


# Every connector is looked at once; what stands around it is read word by word, a dozen words at most.
_CONNECTOR = re.compile(r"\b(?:and|but|while|whereas|which|who)\b|;|[()\[\]{}\"“”`]")
_CLOSED_BY = {")": "(", "]": "[", "}": "{", "”": "“"}


def split_clauses(text: str, start: int, end: int) -> list[Clause]:
    """The independent clauses of `text[start:end]`, in order and without a gap but white space."""
    marks = list(_CONNECTOR.finditer(text, start, end))
    if not any(mark.group() in _JOINTS for mark in marks):
        return [Clause(start, start, end, whole=True)]
    return _Splitter(text, start, end, marks).split()


_JOINTS = frozenset(("and", "but", "while", "whereas", "which", "who", ";"))


class _Splitter:
    """One reading of one sentence."""

    def __init__(self, text: str, start: int, end: int, marks: list[re.Match[str]]) -> None:
        self.text, self.end = text, end
        self.words = words_of(text, start, end)
        self.joints = _outside_brackets(marks)
        self.clauses: list[Clause] = []
        self.begin(start, start, "", 0)

    def begin(self, start: int, own: int, subject: str, first: int) -> None:
        """A new clause opens: nothing is known of it yet."""
        self.start, self.own, self.subject = start, own, subject
        self.first = self.read = first
        self.verb: int | None = None
        self.bound = False

    def split(self) -> list[Clause]:
        at = 0
        for index, joint in enumerate(self.joints):
            while at < len(self.words) and self.words[at].start < joint.start():
                at += 1
            self.look_at(at)
            behind = at if joint.group() == ";" else at + 1
            limit = self.joints[index + 1].start() if index + 1 < len(self.joints) else self.end
            if joint.group() in ("which", "who"):
                self.try_relative(joint, at, behind, limit)
            elif self.joins(joint, at):
                self.try_clause(joint, behind, limit)
        if not self.clauses:
            return [Clause(self.start, self.own, self.end, whole=True)]
        return [*self.clauses, Clause(self.start, self.own, self.end, self.subject)]

    def look_at(self, until: int) -> None:
        """Takes in the words of the open clause up to a joint, each of them once."""
        while self.read < until:
            word = self.words[self.read]
            if word.lower in BINDERS or word.lower in REPORTS:
                self.bound = True
            if self.verb is None and (self.read > self.first or self.subject) and finite(self.words, self.read):
                self.verb = self.read
            self.read += 1

    def joins(self, joint: re.Match[str], at: int) -> bool:
        """Whether a joint may stand between two clauses at all."""
        mark = joint.group()
        if self.verb is None:
            return False
        if mark == ";":
            return True
        if self.bound or (mark in ("while", "whereas") and not self.after_comma(joint)):
            return False
        recent = self.words[max(self.first, at - 6) : at]
        return not any(word.lower in PAIRING for word in recent)

    def after_comma(self, joint: re.Match[str]) -> bool:
        return "," in self.text[max(0, joint.start() - 2) : joint.start()]

    def try_clause(self, joint: re.Match[str], behind: int, limit: int) -> None:
        """Splits at a joint if a clause of its own, or one that shares the subject, starts behind it."""
        if behind >= len(self.words):
            return
        loose = joint.group() == ";" or self.after_comma(joint)
        if plain_subject(self.text, self.words, behind, limit, loose=loose):
            self.close(joint, behind, "")
        elif joint.group() in ("and", "but") and (subject := self.shared_subject()):
            helper = self.words[self.verb or 0].lower
            if predicate(self.words, behind, limit, shared_helper=helper in BE_HAVE or helper in MODALS):
                self.close(joint, behind, subject)

    def shared_subject(self) -> str:
        """The subject of the open clause, if it is sure what that is."""
        if self.subject:
            return self.subject
        if self.verb is None or not 0 < self.verb - self.first <= LONGEST_SUBJECT:
            return ""
        last = self.verb - 1
        while last > self.first and (self.words[last].lower in ADVERBS or self.words[last].lower.endswith("ly")):
            last -= 1
        subject = self.text[self.own : self.words[self.verb].start].strip()
        if not subject.endswith(","):
            # "In 1903, Marie Curie won": the subject stands behind the comma.
            begin = max(self.own, self.text.rfind(",", self.own, self.words[self.verb].start) + 1)
            subject = self.text[begin : self.words[last].end].strip()
        return "" if subject.lower() in ("", "there", "here") else subject.lstrip("*_ ")

    def close(self, joint: re.Match[str], behind: int, subject: str) -> None:
        at = joint.start() + (1 if joint.group() == ";" else 0)
        self.clauses.append(Clause(self.start, self.own, at, self.subject))
        self.begin(at, self.words[behind].start, subject, behind)

    def try_relative(self, joint: re.Match[str], at: int, behind: int, limit: int) -> None:
        """Splits off ", which is …" behind a name, where it runs to the end or stands between subject and verb."""
        name = self.described(joint, at, behind)
        comma = self.text.find(",", joint.end(), self.end) if name else -1
        if name and self.verb is not None and comma < 0 and limit == self.end:
            self.close(joint, behind, name)
        elif name and self.verb is None and joint.end() < comma < limit and not self.subject:
            self.step_aside(name, behind, comma)
        else:
            self.bound = True

    def step_aside(self, name: str, behind: int, comma: int) -> None:
        """ "Paris, which is the capital, has …": the aside becomes a claim, the rest goes on with the same subject."""
        after = behind
        while after < len(self.words) and self.words[after].start < comma:
            after += 1
        subject = self.text[self.own : self.words[behind - 1].start].strip(" ,*_")
        if (
            after >= len(self.words)
            or subject != name
            or not predicate(self.words, after, self.end, shared_helper=False)
        ):
            self.bound = True
            return
        self.clauses.append(Clause(self.start, self.words[behind].start, comma + 1, name))
        self.begin(comma + 1, self.words[after].start, name, after)
        self.read = after

    def described(self, joint: re.Match[str], at: int, behind: int) -> str:
        """The one name that ", which" or ", who" can only point to, or nothing."""
        if not self.after_comma(joint) or self.bound or behind + 1 >= len(self.words):
            return ""
        verb, then = self.words[behind].lower, self.words[behind + 1].lower
        if verb in ("are", "were", "have") or then in BINDERS or not finite(self.words, behind):
            return ""
        if joint.group() == "which" and verb not in ("is", "was", "has", "had"):
            # "He moved to Paris, which surprised everyone" does not speak of Paris.
            return ""
        return self.name_before(at)

    def name_before(self, at: int) -> str:
        """The capitalised name that ends right before a comma: "Alexander Fleming" in "by Alexander Fleming, who"."""
        first = at
        while first > self.first and at - first < 6 and self.words[first - 1].capital:
            first -= 1
        if first == at or (first > self.first and self.words[first - 1].lower == "and"):
            return ""
        name = self.text[self.words[first].start : self.words[at - 1].end]
        return "" if "," in name or "\n" in name else name


def _outside_brackets(marks: list[re.Match[str]]) -> list[re.Match[str]]:
    """The joints that stand in no quote and no bracket."""
    depth: dict[str, int] = {}
    joints = []
    for mark in marks:
        sign = mark.group()
        if sign in _JOINTS:
            if not any(depth.values()):
                joints.append(mark)
        elif sign in _CLOSED_BY:
            opening = _CLOSED_BY[sign]
            depth[opening] = max(0, depth.get(opening, 0) - 1)
        elif sign in '"`':
            depth[sign] = 1 - depth.get(sign, 0)
        else:
            depth[sign] = depth.get(sign, 0) + 1
    return joints
