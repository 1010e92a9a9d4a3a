import assay
from assay.abstention import abstain

SOURCE = "The tower is 330 m tall."


def report(answer, **more):
    return assay.check(answer, [SOURCE], "How tall is the tower?", judge="lexical", **more)


def test_an_abstention_says_why_which_claims_and_what_would_settle_them():
    given = abstain(report("The tower is 303 m tall. The tower cost three million pounds."))
    assert given.text == (
        "I cannot provide a verified answer to this question. "
        "[Reason: the sources contradict one claim; the sources do not settle one claim]"
    )
    refuted, open_claim = given.failed
    assert "330" in refuted.wanted
    assert "cost three million pounds" in open_claim.wanted
    shown = given.to_dict()
    assert shown["question"] == "How tall is the tower?"
    assert [claim["verdict"] for claim in shown["failed_claims"]] == ["REFUTED", "INSUFFICIENT"]
    assert len(shown["evidence_wanted"]) == 2
    assert str(given) == given.text


def test_a_reason_of_the_callers_own_comes_first():
    given = abstain(report("The tower is 303 m tall."), "three attempts failed")
    assert given.reasons == ("three attempts failed", "the sources contradict one claim")


def test_an_abstention_without_a_failed_claim_still_has_a_reason():
    assert abstain(report("The tower is 330 m tall.")).reasons == ("the answer was withdrawn",)
    assert "nothing to check" in abstain(report("Hello!")).reasons[0]
