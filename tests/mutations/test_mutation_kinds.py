"""Each kind of mutation by example, and what must not be made."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.mutations import MUTATIONS, GeneratedClaim, StatementIndex, read_source
from assay.mutations.paraphrases import CONTROLS, paraphrase
from assay.types import Document, Span

CITIES = "| City | Inhabitants | Area |\n|---|---|---|\n| Berlin | 3,700,000 | 891 |\n| Hamburg | 1,800,000 | 755 |\n"
PUMPS = "# Pump A\n\nPower: 4 kW\nWeight: 31 kg\n\n# Pump B\n\nPower: 9 kW\nWeight: 55 kg\n"
LEAVE = (
    "# Leave rules 2026\n\nFull-time staff are entitled to 24 days of leave.\n\n"
    "# Leave rules 2024\n\nFull-time staff are entitled to 22 days of leave.\n"
)


def made(kind: str, text: str) -> set[str]:
    """The claims of a kind that no other statement of the document tells."""
    source = read_source(Document("d", text))
    index = StatementIndex([source])
    claims = MUTATIONS[kind](source)
    return {one.text for one in claims if not index.tells(one, 0, " ".join(one.places[0].of(text).split()))}


def said(kind: str, text: str, title: str = "") -> set[str]:
    source = read_source(Document("d", text, title=title))
    return {one.text for one in paraphrase(source) if one.kind == kind}


@pytest.mark.parametrize(
    ("kind", "document", "claim"),
    [
        (
            "attribute",
            "The Basic plan is $19 per month. The Pro plan is priced at $49 monthly.",
            "The Pro plan is $19 per month.",
        ),
        (
            "attribute",
            "Invoices are sent by e-mail. Contracts are sent by post.",
            "Contracts are sent by e-mail.",
        ),
        (
            "attribute",
            "The Berlin office opened on 3 May 2019. The Oslo office opened on 9 June 2021.",
            "The Oslo office opened on 3 May 2019.",
        ),
        ("attribute", "The old bridge is closed to cars. The new bridge is open.", "The old bridge is open."),
        (
            "attribute",
            "Logs are kept for seven days on Standard and for 35 days on Critical.",
            "Logs are kept for 35 days on Standard and for seven days on Critical.",
        ),
        ("attribute", "- P1: 30 minutes\n- P2: 4 hours\n", "P2: 30 minutes."),
        ("role", "Pellar replaces Nordlys as supplier.", "Nordlys replaces Pellar as supplier."),
        ("role", "In 2016 Acme was acquired by Borealis.", None),
        ("role", "In 2016, Acme was acquired by Borealis.", "In 2016, Borealis was acquired by Acme."),
        ("role", "The landlord must notify the tenant in writing.", "The tenant must notify the landlord in writing."),
        ("role", "Lake Orm is deeper than Lake Tarn today.", "Lake Tarn is deeper than Lake Orm today."),
        ("role", "Replicas are upgraded before the primary.", "Replicas are upgraded after the primary."),
        ("role", "Trout were larger than the salmon there.", "Trout were smaller than the salmon there."),
        (
            "scope",
            "Fixes are delivered in the newest branch only.",
            "Fixes are delivered not only in the newest branch.",
        ),
        ("scope", "Only admins can publish a page.", "Not only admins can publish a page."),
        ("scope", "Some screws turned loose by hand.", "All screws turned loose by hand."),
        ("scope", "First-year students pay no fee at all.", "Students pay no fee at all."),
        ("scope", "Households with two children receive a grant.", "All households receive a grant."),
        ("scope", "All shops close at six, except for the bakery.", "All shops close at six."),
        ("scope", "Applications take up to 28 days.", "Applications take exactly 28 days."),
        ("condition", "The deposit is returned if the room is clean.", "The deposit is returned."),
        (
            "condition",
            "The deposit is returned if the room is clean.",
            "The deposit is returned unless the room is clean.",
        ),
        ("condition", "If it rains, the match is off.", "The match is off."),
        (
            "condition",
            "Places can be transferred until 31 March.",
            "Places can be transferred from 31 March.",
        ),
        (
            "condition",
            "Tutors see names only when grading is over.",
            "Tutors see names except when grading is over.",
        ),
        ("version", "The notice period is 45 days (earlier: 30 days).", "The notice period is 30 days."),
        (
            "version",
            "From 1 May the rent is 900 euros; before that it was 800 euros.",
            "From 1 May the rent is 800 euros.",
        ),
        ("version", "The limit was raised from 16 to 18 in May.", "The limit was raised from 18 to 16 in May."),
        ("version", LEAVE, "Leave rules 2026: Full-time staff are entitled to 22 days of leave."),
        ("table", CITIES, "Inhabitants for Berlin is 1,800,000."),
        ("table", CITIES, "Inhabitants for Hamburg is 755."),
        ("table", PUMPS, "Power for Pump A is 9 kW."),
        ("table", "name: Ann | born: 1980\nname: Bob | born: 1975\n", "Born for Ann is 1975."),
        ("instruction", "Visitors must not enter the hall.", "Visitors must enter the hall."),
        ("instruction", "Tenants must report a leak at once.", "Tenants must not report a leak at once."),
        (
            "instruction",
            "Stop using the drops if redness occurs.",
            "Keep using the drops if redness occurs.",
        ),
        ("instruction", "Smoking is forbidden in the whole house.", "Smoking is allowed in the whole house."),
        ("instruction", "Guests need not sign the list.", "Guests must sign the list."),
        ("instruction", "Do not open the valve by hand.", "Open the valve by hand."),
        ("scale", "One seat in a hundred is kept free.", "10 % of seats are kept free."),
        ("scale", "About 5 % of the parcels arrive late.", "About one in five of the parcels arrive late."),
        ("scale", "The town has 1,200 inhabitants today.", "The town has 1.2 million inhabitants today."),
        ("scale", "The counter closes at 15:00 on Fridays.", "The counter closes at 5 pm on Fridays."),
        ("scale", "A third of the trees were felled.", "3 % of the trees were felled."),
    ],
)
def test_a_mutation_is_made_from_what_the_document_says(kind: str, document: str, claim: str | None) -> None:
    if claim is None:
        assert made(kind, document) == set()
    else:
        assert claim in made(kind, document)


@pytest.mark.parametrize(
    ("kind", "document"),
    [
        # Equal values, values that both share, entities that may be one.
        ("attribute", "The Basic plan is $19 per month. The Pro plan is $19 per month."),
        ("attribute", "The plan is $19 per month. The Pro plan is $49 per month."),
        ("attribute", "Basic is sent by e-mail. Pro is sent by post. Pro includes everything in Basic."),
        ("attribute", "The nap lasts 20 minutes or 90 minutes here."),
        ("role", "Brazil and Germany met in the final."),
        ("role", "Ann Lee married Bob Fox in spring."),
        ("role", "The mayor has doubled her own salary."),
        ("condition", "Bring a towel if possible to the pool."),
        ("condition", "Ask the porter if the hall is open."),
        ("condition", "The hall stays open even if it rains."),
        ("condition", "When the town burned, nobody was hurt."),
        ("condition", "If this is neglected, the grant is withheld."),
        ("condition", "A copy is to be provided to the office in May."),
        ("scope", "A user is counted once however often it opens."),
        ("version", "The fee is 30 euros for all."),
        ("table", "| City | Area |\n|---|---|\n| Bonn | 20 |\n| Trier | 20 |\n"),
        ("table", "| City | Note |\n|---|---|\n| Bonn | – |\n| Trier | n/a |\n"),
        ("instruction", "The tower is 30 m high."),
        ("scale", "In 1990 the town had 1,234 inhabitants."),
    ],
)
def test_what_might_be_true_or_senseless_is_not_made(kind: str, document: str) -> None:
    assert made(kind, document) == set()


@pytest.mark.parametrize(
    "document", ["Devices up to 800 W are registered here.", "Members may carry over up to 10 days."]
)
def test_a_limit_of_a_group_or_a_permission_is_not_made_exact(document: str) -> None:
    assert not [text for text in made("scope", document) if "exactly" in text]


def test_a_swap_that_another_statement_tells_is_left_out() -> None:
    plans = "The Basic plan is $19 per month. The Pro plan is priced at $49 monthly."
    assert "The Pro plan is $19 per month." in made("attribute", plans)
    assert "The Pro plan is $19 per month." not in made("attribute", f"{plans} In May the Pro plan was $19.")


@pytest.mark.parametrize(
    ("kind", "document", "claim"),
    [
        ("possession", "The population of Norway grew slowly in 1990.", None),
        ("possession", "The population of Norway is growing slowly.", "Norway’s population is growing slowly."),
        (
            "possession",
            "After the war Oslo's mayor was elected again.",
            "After the war the mayor of Oslo was elected again.",
        ),
        ("number", "About 5 % of the parcels arrive late.", "About one in twenty of the parcels arrive late."),
        ("number", "The counter closes at 15:00 on Fridays.", "The counter closes at 3 pm on Fridays."),
        ("number", "The town has 1,200 inhabitants today.", "The town has 1.2 thousand inhabitants today."),
        ("number", "The permit lapses after twelve months.", "The permit lapses after 12 months."),
        ("clause order", "If it rains, the match is off.", "The match is off if it rains."),
        (
            "clause order",
            "The deposit is returned if the room is clean.",
            "If the room is clean, the deposit is returned.",
        ),
        ("list", "# Opening hours\n\n- Monday: 9 to 5\n- Sunday: closed\n", "Opening hours: Sunday: closed."),
        ("table", CITIES, "Inhabitants for Berlin is 3,700,000."),
        ("table", PUMPS, "Weight for Pump B is 55 kg."),
    ],
)
def test_a_true_claim_is_said_otherwise(kind: str, document: str, claim: str | None) -> None:
    if claim is None:
        assert said(kind, document) == set()
    else:
        assert claim in said(kind, document)


def test_a_pronoun_is_resolved_from_the_title() -> None:
    text = "Mount Orm is a peak in the north. It was climbed first in 1911."
    assert said("pronoun", text, "Mount Orm") == {"Mount Orm was climbed first in 1911."}
    assert said("pronoun", text, "The harbour") == set()


def test_a_claim_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="no place"):
        GeneratedClaim("role", "order turned", "It is so.", ())


PARTS = st.sampled_from(
    [
        "The Basic plan is $19 per month.",
        "The Pro plan is priced at $49 monthly.",
        "Invoices are sent by e-mail.",
        "Contracts are sent by post.",
        "Pellar replaces Nordlys as supplier.",
        "If it rains, the match is off.",
        "Visitors must not enter the hall after 15:00.",
        "Most members pay up to 30 euros until 31 March.",
        "The fee was 30 euros until 2023, now 45.",
        "It has 1,200 seats (earlier: 900), of which 5 % of the rows are free.",
        "# Rules 2024\n",
        "- P1: 30 minutes",
        "- P2: 4 hours",
        CITIES,
        PUMPS,
    ]
)


@given(st.lists(PARTS, max_size=12).map("\n\n".join) | st.text(max_size=120))
def test_a_claim_differs_from_its_source_and_names_a_real_place(text: str) -> None:
    source = read_source(Document("d", text, title="Mount Orm"))
    told = {statement.text for statement in source.statements}
    claims = [(kind, one) for kind, mutation in MUTATIONS.items() for one in mutation(source)]
    claims += [(one.kind, one) for one in paraphrase(source)]
    for kind, one in claims:
        assert one.kind == kind
        assert kind in MUTATIONS or kind in CONTROLS
        for place in one.places:
            assert 0 <= place.start < place.end <= len(text)
        line = " ".join(one.places[0].of(text).split())
        assert one.text != line
        assert one.old != one.new or kind in CONTROLS
        index = StatementIndex([source])
        if kind in MUTATIONS and not index.tells(one, 0, line):
            assert one.text not in told


def test_places_of_an_index_belong_to_their_document() -> None:
    one, other = (read_source(Document(name, "Ann Lee wrote the long book.")) for name in ("a", "b"))
    claim = GeneratedClaim("token", "name", "Bob Fox wrote the long book.", (Span(0, 28),))
    assert not StatementIndex([one]).tells(claim, 0, "Ann Lee wrote the long book.")
    told = read_source(Document("c", "Bob Fox wrote the long book."))
    assert StatementIndex([one, other, told]).tells(claim, 0, "Ann Lee wrote the long book.")
