"""What a source can decide is a claim; what it cannot is kept with the reason."""

import pytest

from assay.claims import extract_claims


def reasons(answer: str) -> list[str]:
    return [claim.reason for claim in extract_claims(answer)]


@pytest.mark.parametrize(
    "answer",
    [
        "Take it with food.",
        "Send the form by Friday.",
        "Don't restart the server while it syncs.",
        "Note 12: the depot holds 156 crates",
        "If the light blinks, press the button twice.",
        "Please restart the router and wait 10 seconds.",
        "Never mix bleach with ammonia.",
        "Call 911 immediately.",
        "Consult your doctor before taking it.",
        "See a doctor if the rash spreads.",
        "Keep the receipt.",
        "Let the dough rest for 2 hours.",
        "To reset the device, hold the button for 5 seconds.",
        "Go to Settings > Privacy and turn off tracking.",
        "Return the key to the desk if you leave early.",
    ],
)
def test_an_instruction_is_a_claim(answer: str) -> None:
    assert reasons(answer) == [""]


@pytest.mark.parametrize(
    "answer",
    [
        "Contact us at 555-1234 if you need help.",
        "Please contact support@acme.com if you have questions.",
        "Contact HR before 5 May.",
        "Visit the desk in room 12.",
        "Enjoy 20% off your first order.",
        "Enjoy free shipping on all orders.",
        "Stay hydrated.",
        "Have a snack before the test.",
        "Take care of the wound daily.",
        "Happy hour starts at 5 p.m.",
        "Good luck charms were sold in Rome.",
        "Welcome bonuses are paid in May.",
        "Thanks to the dam, floods are rare.",
        "The information may be shared with partners.",
        "This drug does not replace medical advice from a doctor.",
        "It is not legal to park here.",
        "Say no to plastic bags by 2030.",
        "We do not offer refunds on sale items.",
        "We don't have a store in Lyon.",
        "If you cancel within 24 hours, we will refund the fare.",
        "**Leave** – first year: unpaid only.",
        "Use of force is banned.",
    ],
)
def test_what_looks_like_an_offer_wish_or_refusal_but_has_content_is_a_claim(answer: str) -> None:
    assert reasons(answer) == [""]


NOT_CLAIMS = {
    "imperative": [
        "Let me know if you need more.",
        "Please let us know how it goes!",
        "Feel free to reach out.",
        "Don't hesitate to contact us.",
        "Please contact me if you have questions.",
        "Contact us if you have any further questions.",
        "If you have any questions, please contact our support team.",
        "If you need further assistance, feel free to ask!",
        "If you'd like, I can draft the letter.",
        "Just ask!",
        "Kindly let me know.",
        "Should you have any questions, please contact us.",
    ],
    "wish": [
        "Enjoy your trip.",
        "Stay safe and have a great day!",
        "Good luck with your exam!",
        "Best regards",
        "Best regards,\nThe Support Team",
        "Kind regards, Anna",
        "Take care!",
        "Happy coding!",
        "Congratulations on your new job!",
        "I hope you have a great trip!",
        "We look forward to seeing you.",
    ],
    "disclaimer": [
        "This is not legal advice.",
        "This is not a substitute for professional medical advice.",
        "I'm not a doctor.",
        "This information may be out of date.",
        "This information is for educational purposes only.",
        "However, this is not medical advice.",
        "I'm an AI language model.",
        "My knowledge may be outdated.",
        "Information may be outdated.",
        "Prices may have changed since my last update.",
        "Please verify this information with official sources.",
        "Please consult a qualified attorney for advice on your situation.",
    ],
    "meta": [
        "See the guide for details.",
        "Please refer to the manual for more information.",
        "Visit our website for more information.",
        "Here is a short overview.",
    ],
    "acknowledgement": ["I'd be happy to help!", "I can help you with that.", "I'm so sorry.", "I hope this helps!"],
    "refusal": ["We could not find any information on that.", "I cannot answer that."],
    "question": ["Would you like directions?"],
    "opinion": ["I think it is nice."],
    "hypothetical": ["Suppose the rate doubles.", "Say you earn $50,000."],
}


@pytest.mark.parametrize(("reason", "answer"), [(reason, text) for reason in NOT_CLAIMS for text in NOT_CLAIMS[reason]])
def test_what_no_source_could_decide_is_kept_with_the_reason(reason: str, answer: str) -> None:
    assert reasons(answer) == [reason]


@pytest.mark.parametrize(
    ("answer", "claim"),
    [
        ("I'm not a doctor, but aspirin is known to thin the blood.", "aspirin is known to thin the blood"),
        ("This is not legal advice, but the notice period is 30 days.", "the notice period is 30 days"),
        ("Feel free to call, but the office closes at 5.", "the office closes at 5"),
        ("Please note that this is not legal advice. The fee is $30.", "The fee is $30."),
        ("Note: the fee is $30.", "the fee is $30."),
        ("**Answer:** The fee is $30.", "The fee is $30."),
    ],
)
def test_a_claim_beside_something_else_is_still_checked(answer: str, claim: str) -> None:
    assert [found.text for found in extract_claims(answer) if found.checkable] == [claim]
