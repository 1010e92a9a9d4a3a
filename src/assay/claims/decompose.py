"""Compound sentences taken apart where a rule is certain; in doubt a sentence stays whole.

>>> text = "Marie Curie was born in Warsaw and won two Nobel Prizes."
>>> [clause.completed(clause.own(text)) for clause in split_clauses(text, 0, len(text))]
['Marie Curie was born in Warsaw', 'Marie Curie won two Nobel Prizes']
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

from assay.claims import grammar
from assay.claims.scope import GOVERNING, LASTING, NOT_ONLY, TIME, Scope, described_name, is_led, skip_linking


@dataclass(frozen=True, slots=True)
class ClaimClause:
    """A stretch of a sentence: `start` with its connector ("and"), `words` without, and the subject it shares."""

    start: int
    words: int
    end: int
    subject: str = ""
    whole: bool = False

    def own(self, text: str) -> str:
        """The clause's own words; a stop stays with a whole sentence and with an abbreviation."""
        return self.trimmed(text[self.words : self.end])

    def trimmed(self, own: str) -> str:
        own = own.strip()
        if self.whole:
            return own
        own = own.rstrip(" ,;")
        return own if _DOTTED.search(own) else own.rstrip(" ,;.")

    def completed(self, own: str) -> str:
        """What the clause says in its own words, with the subject it shares."""
        return f"{self.subject} {own}" if self.subject else own


_DOTTED = re.compile(r"(?:\b[^\W\d_]\.){2}$")
# Every connector is looked at once; what stands around it is read word by word, a dozen words at most.
_CONNECTOR = re.compile(r"\b(?:and|but|while|whereas|which|who)\b|[;,]|[()\[\]{}\"“”«»`]")
_CLOSED_BY = {")": "(", "]": "[", "}": "{", "”": "“", "»": "«"}
_LONGEST_ITEM = 4
_JOINTS = frozenset(("and", "but", "while", "whereas", "which", "who", ";"))
_TIME_BINDERS = frozenset(("after", "before", "as", "since", "until"))
_PLURALS = grammar.PLURAL_SUBJECTS | grammar.SUBJECT_PRONOUNS | grammar.DETERMINERS


def split_clauses(text: str, start: int, end: int) -> list[ClaimClause]:
    """The independent clauses of `text[start:end]`, in order and without a gap but white space."""
    marks = list(_CONNECTOR.finditer(text, start, end))
    if not any(mark.group() in _JOINTS for mark in marks):
        return [ClaimClause(start, start, end, whole=True)]
    return _Splitter(text, start, end, marks).split()


class _Splitter:
    """One reading of one sentence."""

    def __init__(self, text: str, start: int, end: int, marks: list[re.Match[str]]) -> None:
        self.text, self.end = text, end
        self.scope = Scope(text, start, end)
        self.words = grammar.words_of(text, start, end)
        self.joints = _outside_brackets(marks)
        self.clauses: list[ClaimClause] = []
        self.begin(start, start, "", 0)

    def begin(self, start: int, own: int, subject: str, first: int) -> None:
        """A new clause opens: nothing is known of it yet."""
        self.start, self.own, self.subject = start, own, subject
        self.first = self.read = first
        self.verb: int | None = None
        self.certain = self.bound = self.timed = False
        self.commas: list[tuple[int, int, str]] = []  # where a verb that shares the subject stands behind a comma

    def split(self) -> list[ClaimClause]:
        at = 0
        for index, joint in enumerate(self.joints):
            while at < len(self.words) and self.words[at].start < joint.start():
                at += 1
            self.look_at(at)
            mark = joint.group()
            behind = at if mark in ";," else at + 1
            if behind >= len(self.words):
                break
            if mark == ",":
                self.try_comma(joint, at)
            elif mark in ("which", "who"):
                self.try_relative(joint, at, behind, self.limit_of(index))
            elif self.joins(joint, at):
                self.try_clause(index, at, behind)
        if not self.clauses:
            return [ClaimClause(self.start, self.own, self.end, whole=True)]
        return [*self.clauses, ClaimClause(self.start, self.own, self.end, self.subject)]

    def limit_of(self, index: int, *, strong: bool = False) -> int:
        """Where the next joint stands; a `strong` one parts clauses that share no condition."""
        for joint in self.joints[index + 1 : index + 1 + grammar.LONGEST_SUBJECT]:
            mark = joint.group()
            if mark == ";" or (strong and mark in ("but", "while", "whereas") and self.after_comma(joint)):
                return joint.start()
            if mark != "," and not strong:
                return joint.start()
        return self.end

    def look_at(self, until: int) -> None:
        """Takes in the words of the open clause up to a joint, each of them once."""
        first = self.read
        while self.read < until:
            word = self.words[self.read]
            if word.lower in grammar.BINDERS or word.lower in grammar.REPORTS:
                self.bound = True
            elif word.lower in _TIME_BINDERS:
                self.timed = True
            elif self.timed and grammar.finite(self.words, self.read):
                self.bound = True  # "after his car broke down and …"
            self.read += 1
        if self.certain or first >= until:
            return
        if self.subject and self.verb is None:
            if first == self.first:
                self.verb, self.certain = self.first, True
            return
        verb, certain = grammar.find_verb(self.text, self.words, max(self.first, first - 1), until)
        if verb is not None and (certain or self.verb is None):
            self.verb, self.certain = verb, certain

    def joins(self, joint: re.Match[str], at: int) -> bool:
        """Whether a joint may stand between two clauses at all."""
        mark = joint.group()
        if mark == ";":
            return True
        if self.bound or (mark in ("while", "whereas") and not self.after_comma(joint)):
            return False
        if mark == "but" and self.scope.count(NOT_ONLY, self.own, joint.start()):
            return False
        if self.verb is None:
            # "Take it with food, but the tablet must not be chewed"; "Not the mayor, but the clerk is" goes on.
            return mark == "but" and self.after_comma(joint) and self.words[self.first].lower not in grammar.LIMITING
        recent = self.words[max(self.first, at - 6) : at]
        return not any(word.lower in grammar.PAIRING for word in recent)

    def after_comma(self, joint: re.Match[str]) -> bool:
        return "," in self.text[max(0, joint.start() - 2) : joint.start()]

    def try_clause(self, index: int, at: int, behind: int) -> None:
        """Splits at a joint if a clause of its own, or one that shares the subject, starts behind it."""
        joint = self.joints[index]
        mark = joint.group()
        limit = self.limit_of(index)
        loose = mark == ";" or self.after_comma(joint)
        verb = grammar.own_subject(self.text, self.words, behind, self.end if mark == ";" else limit, loose=loose)
        if verb is not None:
            if mark == ";" or self.stands_alone(index, at, behind, verb, loose):
                self.close(joint, behind, "")
        elif mark in ("and", "but") and (subject := self.shared_subject()):
            helper = grammar.shared_helper(self.words, self.last_verb, at, behind, limit)
            if helper is not None and self.shares_nothing_else(index, at, behind, limit):
                self.close_listed()
                self.close(joint, behind, self.with_helper(subject, helper, behind))

    def stands_alone(self, index: int, at: int, behind: int, verb: int, loose: bool) -> bool:
        """Whether no time or condition in one of two clauses holds for both."""
        first = self.words[behind]
        if self.is_led() and not (loose and first.lower in grammar.PREPOSITIONS):
            return False
        if self.joints[index].group() == "and" and not loose and self.is_listed(at, behind, verb):
            return False
        if loose and self.ends_list(index):
            return False
        contrast = loose and self.joints[index].group() == "but"
        end = self.limit_of(index, strong=True)
        if not contrast and self.scope.count(GOVERNING, first.end, end):
            return False
        if loose or self.verb is None:
            return True
        if not self.certain and any(grammar.is_past(word.lower) for word in self.words[behind:verb]):
            # "The mill opened in 1900 and the dam built in 1920 were closed."
            return False
        if self.verb == at - 1:  # "Prices rose and wages fell in 2020."
            return not self.scope.count(TIME, first.start, end)
        return self.extra_times(verb, end) <= self.extra_times(self.verb, self.joints[index].start())

    def ends_list(self, index: int) -> bool:
        """Whether the words before ", and" are an item of a list: "the medical, dental, and nursing schools are"."""
        if self.joints[index].group() != "and" or index < 2 or self.joints[index - 2].group() != ",":
            return False
        start, end = self.joints[index - 2].start(), self.joints[index - 1].start()
        low = bisect_left(self.words, start, key=lambda word: word.start)
        high = bisect_left(self.words, end, key=lambda word: word.start)
        return high - low <= _LONGEST_ITEM and not any(grammar.finite(self.words, at) for at in range(low, high))

    def is_listed(self, at: int, behind: int, verb: int) -> bool:
        """Whether the words behind "and" end a list: "December, January and February is", "like Ann and Tom have"."""
        before, after, last = self.words[at - 1], self.words[behind], self.words[verb - 1]
        if before.capital and after.capital and self.words[at - 2].lower in grammar.ARTICLES and last is not after:
            return True  # "the Labour and Conservative parties will"
        if before.capital and after.capital and "," in self.text[max(0, before.start - 2) : before.start]:
            return True
        if before.lower in grammar.NOMINATIVES:
            return True  # "now he and his wife are"
        plural = self.words[verb].lower in ("are", "were", "have", "do")
        return plural and not last.lower.endswith("s") and last.lower not in _PLURALS

    def shares_nothing_else(self, index: int, at: int, behind: int, limit: int) -> bool:
        """Whether two verbs with one subject share no time, condition or denial as well."""
        verb = self.verb or 0
        end = self.limit_of(index, strong=True)
        if self.is_led() or self.words[self.first].lower in grammar.LIMITING:
            return False
        if self.scope.count(GOVERNING, self.words[behind].end, end):
            return False
        past = self.is_past_verb(behind)
        if not self.certain and (self.has_verb(behind + 2, limit) or not (past or self.is_certain_verb(behind))):
            # "The car built in 1900 and sold in 1950 was red."
            return False
        ours, theirs = self.extra_times(verb, self.joints[index].start()), self.extra_times(behind, end)
        if theirs <= ours:
            return True
        return past and theirs <= ours + 1 and not self.scope.count(LASTING, self.words[behind].end, end)

    def has_verb(self, at: int, limit: int) -> bool:
        """Whether a certain verb stands in the next dozen words."""
        nearby = range(at, min(at + grammar.LONGEST_SUBJECT, len(self.words)))
        return any(grammar.finite(self.words, word) for word in nearby if self.words[word].start < limit)

    def is_certain_verb(self, at: int) -> bool:
        return grammar.finite(self.words, at) or self.words[at].lower in grammar.MIXED_PRESENTS

    def is_past_verb(self, at: int) -> bool:
        if grammar.is_adverb(self.words[at]):
            at = min(at + 1, len(self.words) - 1)
        word = self.words[at].lower
        return grammar.is_past(word) or word in grammar.PLAIN_PASTS or word in ("was", "were", "had", "did")

    def extra_times(self, verb: int, end: int) -> int:
        """How many times are named behind a verb, but for the one that goes with it."""
        near = self.words[min(verb + 2, len(self.words) - 1)].start
        return self.scope.extra_times(self.words[verb].start, near, end)

    def is_led(self) -> bool:
        """Whether the open clause begins with a time or condition."""
        if self.subject or self.first >= len(self.words):
            return False
        until = self.words[self.verb].start if self.verb is not None else self.end
        return is_led(self.text, self.words, self.first, until)

    def shared_subject(self) -> str:
        """The subject of the open clause, if it is sure what that is."""
        if self.subject:
            return _without_helper(self.subject)
        if self.verb is None:
            return ""
        verb = self.words[self.verb]
        if verb.lower in grammar.CONTRACTED:
            return self.text[self.own : verb.start + verb.lower.index("'")].strip()
        if not 0 < self.verb - self.first <= grammar.LONGEST_SUBJECT:
            return ""
        last = self.verb - 1
        while last >= self.first and grammar.is_adverb(self.words[last]):
            last -= 1
        if last < self.first or self.words[last].lower in ("and", "but", "or"):
            return ""
        if any(map(self.may_be_verb, range(self.first + 1, self.verb))):
            return ""  # "A driver hurt after his car burned": the verb found may be that of another clause
        subject = self.text[self.own : verb.start].strip()
        if not subject.endswith(","):
            # "However, Marie Curie won": the subject stands behind the comma.
            begin = max(self.own, self.text.rfind(",", self.own, verb.start) + 1)
            subject = self.text[begin : self.words[last].end].strip()
        subject = skip_linking(subject)
        return "" if subject.lower() in ("", "there", "here") else subject

    def may_be_verb(self, at: int) -> bool:
        """Whether a word of the subject may be its verb; not in "the injured driver", "the firm, founded in 1990,"."""
        before = self.words[at - 1]
        apart = before.lower in grammar.DETERMINERS or "," in self.text[before.end : self.words[at].start]
        return grammar.is_past(self.words[at].lower) and not apart

    def with_helper(self, subject: str, helper: str, verb: int) -> str:
        """The subject with the helper verb that a participle needs; a third one needs the same as the second."""
        if not helper and self.subject != subject and grammar.is_past(self.words[verb].lower):
            return self.subject or subject
        return f"{subject} {helper}".strip()

    def close(self, joint: re.Match[str], behind: int, subject: str) -> None:
        at = joint.start() + (1 if joint.group() == ";" else 0)
        self.clauses.append(ClaimClause(self.start, self.own, at, self.subject))
        self.begin(at, self.words[behind].start, subject, behind)

    def try_comma(self, joint: re.Match[str], at: int) -> None:
        """Remembers ", burned in 1920" behind "The mill opened in 1900": it is split off if an "and" follows."""
        if self.verb is None or self.bound or self.words[at].lower in grammar.AUXILIARIES:
            return
        following = self.words[at + 1].lower if at + 1 < len(self.words) else ""
        dated = following in ("in", "on", "at") and self.words[min(at + 2, len(self.words) - 1)].lower[:1].isdigit()
        word = self.words[at].lower
        # ", powered by steam," is no verb of the sentence.
        active = following not in grammar.PREPOSITIONS or dated or word in grammar.PLAIN_PASTS or word in grammar.MOVING
        helper = grammar.shared_helper(self.words, self.last_verb, at, at, self.end) if active else None
        subject = self.shared_subject() if helper is not None else ""
        if subject:
            self.commas.append((joint.end(), at, self.with_helper(subject, helper or "", at)))

    @property
    def last_verb(self) -> int:
        """The verb before a joint: that of the clause, or of the last comma."""
        return self.commas[-1][1] if self.commas else self.verb or 0

    def close_listed(self) -> None:
        """Closes the clauses behind the commas before a joint."""
        for end, at, subject in self.commas:
            self.clauses.append(ClaimClause(self.start, self.own, end, self.subject))
            self.start, self.own, self.subject = end, self.words[at].start, subject

    def try_relative(self, joint: re.Match[str], at: int, behind: int, limit: int) -> None:
        """Splits off ", which is …" behind a name, where it runs to the end or stands between subject and verb."""
        name = ""
        if self.after_comma(joint) and not self.bound:
            name = described_name(self.text, self.words, self.first, at, joint.group())
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
        subject = self.text[self.own : self.words[behind - 1].start].strip(" ,")
        if after + 1 >= len(self.words) or subject != name or not grammar.finite(self.words, after):
            self.bound = True
            return
        self.clauses.append(ClaimClause(self.start, self.words[behind].start, comma + 1, name))
        self.begin(comma + 1, self.words[after].start, name, after)
        self.read = after


def _without_helper(subject: str) -> str:
    """A subject without the helper verb it was carried with ("The company was")."""
    words = subject.split(" ")
    return " ".join(words[:-1]) if len(words) > 1 and words[-1] in grammar.AUXILIARIES else subject


def _outside_brackets(marks: list[re.Match[str]]) -> list[re.Match[str]]:
    """The joints and commas that stand in no quote and no bracket."""
    depth: dict[str, int] = {}
    joints = []
    for mark in marks:
        sign = mark.group()
        if sign in _JOINTS or sign == ",":
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
