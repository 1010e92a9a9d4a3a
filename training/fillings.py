"""Names, things and values that fill the sentence patterns of `schemas.toml`."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

PATTERNS = tomllib.loads(Path(__file__).with_name("schemas.toml").read_text(encoding="utf-8"))
WORDS: dict[str, list[str]] = PATTERNS["words"]
SMALL = "zero one two three four five six seven eight nine ten eleven twelve".split()
ORDINAL = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
MONTHS = "January February March April May June July August September October November December".split()
Forms = tuple[str, ...]  # the same value as people write it, the usual form first


def made_up(dice: random.Random) -> str:
    return (
        dice.choice(WORDS["begin"])
        + (dice.choice(WORDS["middle"]) if dice.random() < 0.4 else "")
        + dice.choice(WORDS["end"])
    )


def person(dice: random.Random) -> str:
    return f"{dice.choice(WORDS['first'])} {made_up(dice)}"


def version(dice: random.Random) -> str:
    return f"{dice.randint(1, 9)}.{dice.randint(0, 14)}" + (f".{dice.randint(0, 9)}" if dice.random() < 0.5 else "")


def listed(name: str) -> Callable[[random.Random], str]:
    return lambda dice: dice.choice(WORDS[name])


THINGS: dict[str, Callable[[random.Random], str]] = {
    "plan": lambda dice: dice.choice(
        ["Starter", "Plus", "Team", "Business", "Solo", "Family", "Studio", made_up(dice)]
    ),
    "place": lambda dice: f"the {made_up(dice)} {dice.choice(WORDS['places'])}",
    "mountain": lambda dice: dice.choice(["Mount {}", "{}", "{} Peak", "Piz {}"]).format(made_up(dice)),
    "town": made_up,
    "firm": lambda dice: made_up(dice) + dice.choice(["", "", " Group", " Systems", " Foods", " Energy", " AG"]),
    "device": lambda dice: f"the {made_up(dice)} {dice.choice(WORDS['devices'])}",
    "person": person,
    "version": lambda dice: f"version {version(dice)}",
    "medicine": lambda dice: made_up(dice) + dice.choice(["ol", "ine", "ax", "um"]),
    "setting": lambda dice: f"`{dice.choice(WORDS['settings'])}`",
    "code": lambda dice: f"error {dice.choice('EFH')}{dice.randint(1, 60):02d}",
    "club": lambda dice: f"{made_up(dice)} {dice.choice(['United', 'Rovers', 'City', 'Rangers'])}",
    "office": lambda dice: f"the {made_up(dice)} office",
    "train": lambda dice: f"the {made_up(dice)} {dice.choice(['express', 'line', 'ferry', 'night train'])}",
    "room": lambda dice: f"the {made_up(dice)} room",
    "model": lambda dice: f"the {made_up(dice)} {dice.choice('SXRQ')}{dice.randint(1, 9)}",
    "course": listed("courses"),
    "document": listed("documents"),
    "group": listed("groups"),
    "request": listed("requests"),
    "post": listed("posts"),
    "step": listed("steps"),
    "project": listed("projects"),
    "measure": listed("measures"),
    "dish": listed("dishes"),
    "endpoint": listed("endpoints"),
}


def price(dice: random.Random, most: int = 600) -> Forms:
    amount = dice.choice([dice.randint(3, min(most, 99)), dice.randint(1, most // 10) * 10])
    return dice.choice(
        [(f"${amount}", f"{amount} dollars", f"${amount}.00"), (f"€{amount}", f"{amount} euros", f"EUR {amount}")]
    )


def clock(dice: random.Random) -> Forms:
    hour, minute = dice.randint(6, 22), dice.choice([0, 0, 15, 30, 45])
    half = "am" if hour < 12 else "pm"
    short = f"{(hour - 1) % 12 + 1}" + (f":{minute:02d}" if minute else "")
    noon = ("noon", "midday") if (hour, minute) == (12, 0) else ()
    spoken = SMALL[(hour - 1) % 12 + 1] + (" in the morning" if hour < 12 else " in the evening")
    half_past = (f"half past {spoken}",) if minute == 30 and not 12 <= hour < 18 else ()
    return (f"{hour:02d}:{minute:02d}", f"{short} {half}", f"{short} {half[0]}.m.", *noon, *half_past)


def count(dice: random.Random) -> Forms:
    number = dice.choice([dice.randint(2, 12), dice.randint(13, 500)])
    return (str(number), SMALL[number]) if number <= 12 else (str(number),)


def heads(dice: random.Random) -> Forms:
    number = dice.choice([12, 24, *range(3, 12), *range(15, 400, 5)])
    dozens = {12: ("a dozen",), 24: ("two dozen",)}
    return (str(number), *((SMALL[number],) if number <= 12 else ()), *dozens.get(number, ()))


def duration(dice: random.Random) -> Forms:
    if dice.random() < 0.5:
        years = dice.randint(2, 6)
        return (f"{years * 12} months", f"{SMALL[years]} years", f"{years} years")
    weeks = dice.randint(2, 12)
    return (f"{weeks} weeks", f"{SMALL[weeks]} weeks") + ((f"{weeks * 7} days",) if weeks <= 4 else ())


def days(dice: random.Random) -> Forms:
    number = dice.choice([14, 21, 28, dice.randint(3, 40)])
    spoken = (f"{SMALL[number]} days",) if number <= 12 else ()
    return (f"{number} days", *spoken, *((f"{SMALL[number // 7]} weeks",) if number % 7 == 0 and number > 7 else ()))


def unit(table: list[Forms]) -> Callable[[random.Random], Forms]:
    return lambda dice: dice.choice(table)


SECONDS: list[Forms] = [
    ("20 seconds", "twenty seconds"), ("30 seconds", "half a minute"), ("45 seconds", "three quarters of a minute"),
    ("90 seconds", "a minute and a half"), ("120 seconds", "two minutes"), ("180 seconds", "three minutes"),
    ("300 seconds", "five minutes"), ("60 seconds", "a minute", "one minute"), ("600 seconds", "ten minutes"),
]  # fmt: skip
MINUTES: list[Forms] = [
    ("15 minutes", "a quarter of an hour"), ("30 minutes", "half an hour"), ("60 minutes", "an hour", "one hour"),
    ("45 minutes", "three quarters of an hour"), ("90 minutes", "an hour and a half"), ("120 minutes", "two hours"),
    ("10 minutes", "ten minutes"), ("20 minutes", "twenty minutes"), ("180 minutes", "three hours"),
    ("75 minutes", "an hour and a quarter"), ("240 minutes", "four hours"),
]  # fmt: skip
HOURS: list[Forms] = [
    ("4 hours", "four hours"), ("8 hours", "eight hours"), ("12 hours", "half a day"), ("24 hours", "one day", "a day"),
    ("48 hours", "two days"), ("72 hours", "three days"), ("96 hours", "four days"), ("168 hours", "a week", "7 days"),
]  # fmt: skip
PARTS = {
    5: ("one in twenty",), 10: ("a tenth", "one in ten"), 20: ("a fifth", "one in five"), 50: ("half", "one in two"),
    25: ("a quarter", "one in four"), 26: ("about one in four", "roughly a quarter"), 40: ("two in five", "two fifths"),
    33: ("about a third", "roughly one in three"), 34: ("about a third",), 49: ("just under half", "almost half"),
    51: ("just over half",), 66: ("about two thirds",), 67: ("about two thirds",), 75: ("three quarters",),
    80: ("four in five", "four fifths"), 90: ("nine in ten", "nine tenths"),
}  # fmt: skip


def share(dice: random.Random) -> Forms:
    number = dice.choice(list(PARTS))
    return (f"{number} %", f"{number} percent", *PARTS[number])


def percent(dice: random.Random) -> Forms:
    tenths = dice.choice([dice.randint(2, 60) * 10, dice.randint(11, 99)])
    return (f"{tenths / 10:g} %", f"{tenths / 10:g} percent", f"{tenths / 10:g} per cent")


def inhabitants(dice: random.Random) -> Forms:
    if dice.random() < 0.4:
        tenths = dice.randint(11, 89)
        return (f"{tenths * 100_000:,}", f"{tenths / 10} million")
    return (f"{dice.randint(20, 900) * 1000 + dice.choice([0, dice.randint(1, 999)]):,}",)


def money(dice: random.Random) -> Forms:
    tenths = dice.randint(11, 990)
    return (f"${tenths / 10} million", f"{tenths / 10} million dollars", f"${tenths * 100_000:,}")


def height(dice: random.Random) -> Forms:
    metres = dice.randint(1200, 8850)
    feet = f"about {round(metres * 3.28084, -2):,.0f} feet"
    return (f"{metres:,} m", f"{metres:,} metres", f"{metres} m", feet)


def distance(dice: random.Random) -> Forms:
    km = dice.randint(3, 400)
    miles = (f"about {round(km / 1.609344)} miles",) if km > 30 else ()
    return (f"{km} km", f"{km} kilometres", *miles)


def date(dice: random.Random) -> Forms:
    day, month = dice.randint(1, 28), dice.choice(MONTHS)
    spoken = (f"the {ORDINAL[day - 1]} of {month}",) if day <= 12 else ()
    return (f"{day} {month}", f"{month} {day}", *spoken)


def scaled(low: int, high: int, step: int, *forms: Callable[[int], str]) -> Callable[[random.Random], Forms]:
    def make(dice: random.Random) -> Forms:
        number = dice.randint(low, high) * step
        return tuple(form(number) for form in forms)

    return make


def word(name: str) -> Callable[[random.Random], Forms]:
    return lambda dice: (dice.choice(WORDS[name]),)


VALUES: dict[str, Callable[[random.Random], Forms]] = {
    "price": price,
    "small_price": lambda dice: price(dice, 40),
    "clock": clock,
    "count": count,
    "heads": heads,
    "duration": duration,
    "days": days,
    "seconds": unit(SECONDS),
    "minutes": unit(MINUTES),
    "hours": unit(HOURS),
    "share": share,
    "percent": percent,
    "inhabitants": inhabitants,
    "money": money,
    "height": height,
    "distance": distance,
    "date": date,
    "year": lambda dice: (str(dice.randint(1870, 2024)),),
    "recent": lambda dice: (str(dice.randint(2003, 2024)),),
    "staff": lambda dice: (f"{dice.randint(20, 9000):,}",),
    "speed": scaled(4, 60, 5, lambda n: f"{n} km/h", lambda n: f"{n} kilometres per hour"),
    "pages": scaled(2, 90, 5, lambda n: f"{n} pages", lambda n: f"{n} pages"),
    "storage": scaled(1, 40, 5, lambda n: f"{n} GB", lambda n: f"{n} gigabytes", lambda n: f"{n * 1000:,} MB"),
    "power": scaled(3, 30, 100, lambda n: f"{n:,} W", lambda n: f"{n:,} watts", lambda n: f"{n / 1000:g} kW"),
    "volume": scaled(2, 60, 100, lambda n: f"{n:,} ml", lambda n: f"{n / 1000:g} litres"),
    "length": scaled(3, 60, 5, lambda n: f"{n} cm", lambda n: f"{n} centimetres", lambda n: f"{n / 100:g} m"),
    "weight": scaled(11, 90, 100, lambda n: f"{n / 1000:g} kg", lambda n: f"{n:,} g"),
    "dose": scaled(1, 40, 25, lambda n: f"{n} mg", lambda n: f"{n} milligrams"),
    "temperature": scaled(2, 30, 1, lambda n: f"{n} °C", lambda n: f"{n} degrees Celsius"),
    "heat": scaled(12, 25, 10, lambda n: f"{n} °C", lambda n: f"{n} degrees"),
    "town_name": lambda dice: (made_up(dice),),
    "person": lambda dice: (person(dice),),
    "release": lambda dice: (f"version {version(dice)}",),
    "age": lambda dice: (lambda n: (f"{n}", *((SMALL[n],) if n <= 12 else ())))(dice.randint(3, 70)),
    "adult_age": lambda dice: (str(dice.randint(40, 66)),),
    "channel": word("channels"),
    "colour": word("colours"),
    "role": word("roles"),
    "subject": word("subjects"),
    "meaning": word("meanings"),
    "country": word("countries"),
    "material": word("materials"),
    "weekday": word("weekdays"),
    "language": word("languages"),
    "floor": word("floors"),
    "method": word("methods"),
}


def amount(forms: Forms) -> tuple[str, float] | None:
    """Unit and number of a value's usual form; a time of day counts as a number, a date does not."""
    number = re.sub(r"[^\d.]", "", forms[0])
    if not number or any(month in forms[0] for month in MONTHS) or forms[0].startswith("version"):
        return None
    return re.sub(r"[\d.,]", "", forms[0]).strip(), float(number)


def alike(one: Forms | str, other: Forms | str) -> bool:
    """Whether two fillings can be taken for the same: a form in common, or close where one is said with "about"."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    left, right = amount(one), amount(other)
    if left and right and left[0] == right[0] and any("about" in form for form in one + other):
        return abs(left[1] - right[1]) <= 0.06 * max(left[1], right[1])
    return bool(set(one) & set(other))


def same_unit(one: Forms | str, other: Forms | str) -> bool:
    left, right = (None if isinstance(some, str) else amount(some) for some in (one, other))
    return left is None or right is None or left[0] == right[0]


def distinct(make: Callable, dice: random.Random, number: int, but: tuple = ()) -> list:
    """Different values of one kind and unit; fewer where there are no more."""
    found: list = []
    for _ in range(60):
        made = make(dice)
        known = (*found, *but)
        if len(found) < number and all(same_unit(made, one) and not alike(made, one) for one in known):
            found.append(made)
    return found
