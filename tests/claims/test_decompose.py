"""Compound sentences: split where both halves stand alone, whole where a word may hold for both."""

import pytest

from assay.claims import extract_claims


def texts(answer: str) -> list[str]:
    return [claim.text for claim in extract_claims(answer)]


SPLIT = [
    (
        "The company, founded in 1990, employs 500 people and has offices in 12 countries.",
        "The company, founded in 1990, employs 500 people",
        "The company, founded in 1990, has offices in 12 countries",
    ),
    (
        "The plan costs $49 a month, includes 10 seats, and renews yearly.",
        "The plan costs $49 a month",
        "The plan includes 10 seats",
        "The plan renews yearly",
    ),
    ("Anna works in Rome and her brother lives in Oslo.", "Anna works in Rome", "her brother lives in Oslo"),
    ("Applicants must be 18 and hold a licence.", "Applicants must be 18", "Applicants must hold a licence"),
    (
        "He used the Book of Common Prayer, which is an Anglican book.",
        "He used the Book of Common Prayer",
        "Book of Common Prayer is an Anglican book",
    ),
    ("The mill opened in 1900 and closed in 1950.", "The mill opened in 1900", "The mill closed in 1950"),
    (
        "Marie Curie was born in Warsaw and won two Nobel Prizes.",
        "Marie Curie was born in Warsaw",
        "Marie Curie won two Nobel Prizes",
    ),
    ("The shop opens at 9 and closes at 5.", "The shop opens at 9", "The shop closes at 5"),
    ("The store opens at 9 a.m. and closes at 5 p.m.", "The store opens at 9 a.m.", "The store closes at 5 p.m."),
    (
        "The Pro plan costs $49 per month and includes 10 seats.",
        "The Pro plan costs $49 per month",
        "The Pro plan includes 10 seats",
    ),
    (
        "The company was founded in 1990 and acquired by Acme in 2000.",
        "The company was founded in 1990",
        "The company was acquired by Acme in 2000",
    ),
    (
        "The company was founded in 1990 and was acquired by Acme in 2000.",
        "The company was founded in 1990",
        "The company was acquired by Acme in 2000",
    ),
    (
        "Employees must submit the form and attach the receipts.",
        "Employees must submit the form",
        "Employees must attach the receipts",
    ),
    ("Paris is in France and Berlin is in Germany.", "Paris is in France", "Berlin is in Germany"),
    ("Tom and Ann met in 1990 and married in 1992.", "Tom and Ann met in 1990", "Tom and Ann married in 1992"),
    ("It's 5 m high and weighs 3 kg.", "It's 5 m high", "It weighs 3 kg"),
    (
        "The mill opened in 1900, burned in 1920, and closed in 1950.",
        "The mill opened in 1900",
        "The mill burned in 1920",
        "The mill closed in 1950",
    ),
    (
        "She was born in Warsaw, studied in Paris, and won two Nobel Prizes.",
        "She was born in Warsaw",
        "She studied in Paris",
        "She won two Nobel Prizes",
    ),
    ("The plans include 10 GB and cost $5.", "The plans include 10 GB", "The plans cost $5"),
    ("The drug reduces pain but causes drowsiness.", "The drug reduces pain", "The drug causes drowsiness"),
    ("He has won two prizes and published ten books.", "He has won two prizes", "He has published ten books"),
    ("The museum is in Paris and opens at 9.", "The museum is in Paris", "The museum opens at 9"),
    (
        "However, the mill opened in 1900 and closed in 1950.",
        "However, the mill opened in 1900",
        "the mill closed in 1950",
    ),
    ("The bridge was built in 1900; it was rebuilt in 1950.", "The bridge was built in 1900", "it was rebuilt in 1950"),
    ("The tablet is small, but it must not be chewed.", "The tablet is small", "it must not be chewed"),
    ("Take it with food, but the tablet must not be chewed.", "Take it with food", "the tablet must not be chewed"),
    (
        "Rock and roll began in the 1950s and spread to Europe.",
        "Rock and roll began in the 1950s",
        "Rock and roll spread to Europe",
    ),
    (
        "The bill passed the House and Senate and was signed by Biden.",
        "The bill passed the House and Senate",
        "The bill was signed by Biden",
    ),
    ("The trip takes two and a half hours and costs $5.", "The trip takes two and a half hours", "The trip costs $5"),
    (
        "Apple was founded by Steve Jobs and launched the iPhone in 2007.",
        "Apple was founded by Steve Jobs",
        "Apple launched the iPhone in 2007",
    ),
    ("Marie Curie was born in Warsaw and died in 1934.", "Marie Curie was born in Warsaw", "Marie Curie died in 1934"),
    ("He was born in Ohio and moved to Paris in 1920.", "He was born in Ohio", "He moved to Paris in 1920"),
    (
        "The law was passed in 1990 and took effect in 1992.",
        "The law was passed in 1990",
        "The law took effect in 1992",
    ),
    (
        "The company employs 500 people and operates in 12 countries.",
        "The company employs 500 people",
        "The company operates in 12 countries",
    ),
    (
        "Revenue rose by 5% in 2020, and costs fell by 3% in 2021.",
        "Revenue rose by 5% in 2020",
        "costs fell by 3% in 2021",
    ),
    ("The old model is heavy, whereas the new model is light.", "The old model is heavy", "the new model is light"),
    (
        "The tower is 330 m tall and was completed in 1889.",
        "The tower is 330 m tall",
        "The tower was completed in 1889",
    ),
    (
        "The river rises in the Alps and flows into the sea.",
        "The river rises in the Alps",
        "The river flows into the sea",
    ),
    (
        "The vaccine requires two doses and provides protection for a year.",
        "The vaccine requires two doses",
        "The vaccine provides protection for a year",
    ),
    ("You must be 18 and must have a licence.", "You must be 18", "You must have a licence"),
    (
        "The team won the cup in 2010 and finished second in 2011.",
        "The team won the cup in 2010",
        "The team finished second in 2011",
    ),
    (
        "The warranty covers parts and is valid for two years.",
        "The warranty covers parts",
        "The warranty is valid for two years",
    ),
]
WHOLE = [
    "The law was passed in 1990, amended in 2000, and repealed in 2010.",
    "He was ordered to pay the costs and fined £500.",
    "Now he and his wife are in Paris.",
    "The polls show the Labour and Conservative parties will fall.",
    "The medical, dental, and nursing schools are in Ohio.",
    "She was found after her car was hit and the driver was gone.",
    "He lived by a lake in Arizona, which is dry.",
    "Tickets cost $5 on weekdays and $8 on weekends.",
    "Late the following year, he left the band and Tom took his place.",
    "The firm was fined and its manager was dismissed, the police said.",
    "She bought bread and butter at the market.",
    "If you pay late and miss the deadline, you lose the discount.",
    "If the light blinks, press the button and hold it.",
    "The fee is waived and the deposit is refunded if the flight is cancelled.",
    "The fee is waived if the flight is cancelled and the ticket was bought online.",
    "Between 10 and 20 patients were treated each day.",
    "Johnson and Johnson is based in New Jersey.",
    "The report was written and published in 1990.",
    "The company makes and sells shoes.",
    "She sang and danced in 1990.",
    "In 1903, Marie Curie won the prize and became famous.",
    "In 2019, revenue rose by 5% and costs fell by 3%.",
    "In 2019 revenue rose by 5% and costs fell by 3%.",
    "Last year, the firm opened a shop and closed two offices.",
    "Revenue rose by 5% and costs fell by 3% in 2020.",
    "Prices rose and wages fell in 2020.",
    "The pool opens at 9 and closes at 5 on Sundays.",
    "The pool opens at 9 and closes at 5 until September.",
    "When it rains, the pool closes and the bar opens.",
    "The road was closed and traffic was diverted because of snow.",
    "No employee may bring pets and leave them at work.",
    "The car built in 1900 and sold in 1950 was red.",
    "The drug not only lowers fever but also eases pain.",
    "The drug both lowers fever and eases pain.",
    "The minister said that prices were falling and wages were rising.",
    'The motto reads "the wind is cold and the sea is deep" in old script.',
    "The man who founded Acme and led it for years was born in Ohio.",
    "The vaccine is safe and effective.",
    "The market has carts and stands on every street.",
    "He sold cars built in Japan and shipped to Europe.",
    "The plan covers storage and means of transport.",
    "The report covers deaths and births in 2020.",
    "Members get 10% off and receive free shipping during May.",
    "The shop sells bread and offers coffee on Sundays.",
    "According to the report, revenue rose and costs fell.",
    "Unless you cancel, the plan renews and you are charged $5.",
    "You can return items and get a full refund.",
    "The mayor, the clerk, and the treasurer were invited.",
    "The mayor of Paris and the mayor of London were invited.",
    "Romeo and Juliet was written by Shakespeare.",
    "Research and development is led by Ann.",
    "It contains vitamins A and C.",
    "The Ministry of Health and Welfare issued the rule.",
    "The capital is Paris and the language French.",
    "The mill opened in 1900 and the dam built in 1920 were closed.",
    "Payments are due on the 1st and 15th of each month.",
    "It ranges from 5 and 10 mg to 20 mg.",
    "Patients should stop taking it and call a doctor if a rash appears.",
    "The firm helps to reduce costs and improve quality.",
    "The film stars Tom Hanks and Meg Ryan.",
    "He is known for his plays and poems.",
    "You should not drive and operate machinery.",
    "Once the order ships, you get an email and the card is charged.",
    "After the war, he moved to Paris and opened a shop.",
    "He was neither elected and nor appointed.",
    "Only members get a discount and pay no fee.",
    "Bread and circuses kept Rome quiet.",
    "Black and white photos cost $5.",
    "Terms and conditions apply.",
    "The library closes at 5 on weekdays and 3 on weekends.",
    "They were born in 1900 and 1902, respectively.",
    "Sales and marketing expenses rose and administrative costs fell in 2020.",
    "The rate rises and falls with demand.",
    "Add salt and pepper and stir well.",
    "Copper conducts heat and electricity.",
]


@pytest.mark.parametrize("parts", SPLIT, ids=lambda parts: parts[0])
def test_verbs_and_clauses_that_stand_alone_become_claims(parts: tuple[str, ...]) -> None:
    answer, *claims = parts
    assert texts(answer) == claims


@pytest.mark.parametrize("answer", WHOLE)
def test_in_doubt_a_sentence_stays_whole(answer: str) -> None:
    assert texts(answer) == [answer]
