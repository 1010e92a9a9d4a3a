"""Five passages of about two hundred tokens and ten claims on them, as an answer with its sources would have them."""

from __future__ import annotations

from assay.types import Document

PASSAGES = {
    "Harbour": """The harbour of Velden {salt} was dug between 1871 and 1879 by the engineer Marta Lindqvist. Its outer
        wall is 640 metres long and made of granite from the quarry at Ost. Until 1923 only sailing ships and
        small steamers used it. The railway reached the quay in 1884, which cut the journey of a load of fish to
        the capital from three days to eleven hours. A storm in November 1911 broke the wall in two places, and
        the repair took fourteen months. Today the harbour serves 85 fishing boats and a ferry that crosses to
        the island of Hest twice a day from April to October. The harbour office is open from 7 am to 6 pm on
        weekdays. Visitors may walk on the outer wall except when the red flag is up. Fees for guest boats are 22
        euros a night, electricity included, and reservations are not taken.""",
    "Library": """The town library of Velden {salt} opened in 1902 in the former customs house. It holds about 140,000
        volumes, among them the letters of the poet Anders Vik, who worked there as a clerk for nine years. A
        reading room for children was added in 1956 and enlarged in 1998. Borrowing is free for residents; others
        pay 15 euros a year. Books may be kept for four weeks and renewed twice unless somebody else has asked
        for them. In 2019 the roof was replaced at a cost of 2.3 million euros, two thirds of which the state
        paid. The library closes on Mondays. It lends no films any more, because the contract with the
        distributor ended in 2021. Every Thursday evening volunteers help people with forms and applications, and
        no appointment is needed for that.""",
    "Waterworks": """Drinking water for Velden {salt}
        comes from six wells in the dunes and from Lake Mør. The works were
        built in 1934 and can deliver 18,000 cubic metres a day, nearly twice what the town needs in winter. In
        July, when guests come, the use rises to 15,500 cubic metres. Water from the lake is filtered through
        sand and treated with ozone; chlorine has not been used since 1987. The hardness is 9 degrees. In the dry
        summer of 2018 the watering of gardens was forbidden for seven weeks. A second main under the fjord, 4.1
        kilometres long, was finished in 2022, so that repairs no longer leave the northern quarter without
        water. The works employ 23 people. Guided tours take place on the first Saturday of each month, and
        children under six are not admitted.""",
    "School": """The Lindqvist School in Velden {salt}
        teaches 412 pupils from the first to the tenth year. It was founded
        in 1948 and moved into its present building in 1973. Lessons begin at 8:15 and end at 14:30, on Fridays
        at 12:45. Since 2015 all pupils have learnt a second foreign language, either French or German, from the
        sixth year on. The school kitchen serves about 300 meals a day; a meal costs 3.40 euros and nothing for
        families with a low income. Mobile phones must stay in the lockers until the last lesson is over. The
        gymnasium burnt down in March 2009 and was rebuilt within two years with a floor for 600 spectators. Its
        choir won the national competition in 2012 and again in 2017. The head teacher since 2020 has been Ingrid
        Solberg.""",
    "Museum": """The Museum of the Coast in Velden {salt} shows how people lived from fishing and shipbuilding. It was
        opened in 1992 in three warehouses by the harbour, and a fourth was added in 2006. The largest piece is
        the cutter Alma of 1889, which is 19 metres long and was raised from the bottom of the fjord in 1985.
        About 38,000 people visited the museum last year, fewer than before the pandemic, when there were 51,000.
        Admission is 12 euros, reduced 8 euros, and free on the last Sunday of a month. The museum is closed in
        January. Photographs may be taken without flash. A workshop next door repairs wooden boats, and its two
        master builders train four apprentices. The shop sells a catalogue in three languages, the last edition
        of which is from 2016.""",
}
CLAIMS = (
    "The harbour of Velden {salt} was dug between 1871 and 1879.",
    "A storm in November 1911 destroyed the harbour office.",
    "Guest boats pay 22 euros a night and can reserve a place.",
    "The poet Anders Vik worked in the library as a clerk.",
    "Books from the library may be kept for six weeks.",
    "The drinking water has not been treated with chlorine since 1987.",
    "The waterworks employ 23 people and were built in 1934.",
    "Lessons at the Lindqvist School end at 12:45 on Fridays.",
    "The cutter Alma was raised from the bottom of the fjord in 1985.",
    "The museum is open all year round.",
)


def sources(salt: int) -> list[Document]:
    """The five documents; another salt gives other words, so that nothing was read before."""
    return [
        Document(f"{name}-{salt}", " ".join(text.format(salt=salt).split()), title=name)
        for name, text in PASSAGES.items()
    ]


def answer(salt: int, claims: int = len(CLAIMS)) -> str:
    """So many of the claims as an answer; beyond ten they are made again, about years nobody wrote about."""
    made = [CLAIMS[n % len(CLAIMS)].format(salt=salt) for n in range(claims)]
    return " ".join(
        text if n < len(CLAIMS) else f"In {1900 + n // len(CLAIMS)}, {text[0].lower()}{text[1:]}"
        for n, text in enumerate(made)
    )
