"""Annotations and JUnit: nothing in an answer can end a command or a tag."""

from xml.etree import ElementTree

from assay import check
from assay.render import render

SOURCE = "The mill opened in 1900. It stands in Kent."
ANSWER = (
    "The mill stands in Kent.\nThe mill opened in 1950.\n\nIs it nice?\n"
    "It is painted blue & <red>, 100% ::error::really."
)


def test_junit_has_a_case_for_each_claim():
    report = check(ANSWER, [SOURCE], judge="lexical")
    suite = ElementTree.fromstring(render(report, "junit", answer_uri='a "b".md')).find("testsuite")
    assert suite.get("name") == 'a "b".md'
    counts = report.counts
    assert int(suite.get("tests")) == len(suite.findall("testcase")) == len(report.findings)
    assert int(suite.get("failures")) == len(suite.findall(".//failure")) == counts["REFUTED"] + counts["INSUFFICIENT"]
    assert int(suite.get("skipped")) == len(suite.findall(".//skipped")) == counts["NOT_CHECKABLE"] == 1
    assert "1900" in next(f.text for f in suite.iter("failure") if f.get("type") == "REFUTED")


def test_every_annotation_is_one_line_that_names_its_place():
    report = check(ANSWER, [SOURCE], judge="lexical")
    lines = render(report, "github", answer_uri="docs/a,b:c.md").splitlines()
    assert len(lines) == report.counts["REFUTED"] + report.counts["INSUFFICIENT"] + len(report.risk_flags)
    assert lines[0].startswith("::error file=docs/a%2Cb%3Ac.md,line=2,endLine=2,col=1,endColumn=25,title=Contradicted")
    blue = next(line for line in lines if "blue" in line)
    assert "100%25" in blue
    assert blue.startswith("::warning ")
