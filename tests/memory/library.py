"""A hundred files as they lie on people's disks, written by the tools people use, and what each of them says where."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

MINERALS = "amber basalt copper dolomite emerald flint garnet halite iron jade".split()
PLACES = "Lisbon Nairobi Oslo Quito Riga Seoul Tunis Utrecht Vienna Warsaw".split()
ASIDES = (
    "Nobody had expected it at the time, least of all the people who worked there.",
    "The records of those years are kept in the town archive, where they fill eleven boxes.",
    "A visitor from the ministry wrote that the roads were bad and the coffee was worse.",
    "Dr. Weiss, who led the survey, left the company soon afterwards.",
    "It was, as the paper put it, “a year like no other”.",
    "Prices fell by a third (see the table), and so did wages.",
)


@dataclass(frozen=True)
class Fact:
    """A sentence that stands in one file, and the page it stands on if the file has pages."""

    file: str
    text: str
    page: int | None = None


@dataclass(frozen=True)
class Report:
    """What a file is to say: a title, and for each section its name, its fact and the prose around it."""

    number: int
    title: str
    sections: list[tuple[str, str, list[str]]]

    @property
    def encoding(self) -> str:
        return ("utf-8", "utf-8-sig", "utf-16", "cp1252")[self.number // 8 % 4]


def plan(number: int, chance: random.Random) -> Report:
    mineral, place = MINERALS[number % 10], PLACES[number // 10]
    sections = []
    for part, name in enumerate(chance.sample(["Yield", "People", "Roads", "Prices"], 3)):
        tonnes, year = number * 1000 + part * 100 + chance.randrange(100), chance.randrange(1850, 1990)
        fact = f"The {mineral} mine of {place} yielded {tonnes:,} tonnes of ore in {year}."
        sections.append((name, fact, chance.sample(ASIDES, 4)))
    return Report(number, f"The {mineral} mine of {place}", sections)


def write_text(path: Path, report: Report) -> Path:
    lines = [report.title.upper(), "=" * 40]
    for name, fact, asides in report.sections:
        lines += ["", name, "", " ".join([*asides[:2], fact, *asides[2:]])]
    path = path.with_suffix(".txt")
    path.write_bytes("\r\n".join(lines).encode(report.encoding))
    return path


def write_markdown(path: Path, report: Report) -> Path:
    parts = [f"---\ntitle: {report.title}\ndate: 2021-03-0{report.number % 9 + 1}\n---\n# {report.title}\n"]
    for name, fact, asides in report.sections:
        listed = "\n".join(f"- {aside}" for aside in asides[1:])
        parts.append(f"## {name}\n\n{asides[0]}\n{fact}\n\n{listed}\n\n```sh\n# not a heading\nmake {name}\n```\n")
    path = path.with_suffix(".md")
    path.write_text("\n".join(parts), encoding="utf-8")
    return path


def write_html(path: Path, report: Report) -> Path:
    charset = {"utf-8-sig": "utf-8", "cp1252": "windows-1252"}.get(report.encoding, report.encoding)
    body = "".join(
        f"<section><h2>{name}</h2><p>{asides[0]} <em>{fact[:12]}</em>{fact[12:]}<br>{asides[1]}</p>"
        f"<aside class=ads>Buy our stones!</aside><ul><li>{asides[2]}<li>{asides[3]}</ul></section>"
        for name, fact, asides in report.sections
    )
    page = (
        f"<!doctype html><html><head><meta charset={charset}><title>{report.title} – Archive</title>"
        "<style>p{color:#333}</style><script>document.write('<p>An amber mine yielded nothing.</p>')</script></head>"
        "<body><header class=site-header><a href=/>Home</a></header><nav><ul><li><a href='mine-01.html'>Next</a></ul>"
        "</nav><div class='cookie-banner'>We use cookies.</div><main><article>"
        f"<h1>{report.title}</h1>{body}</article></main><footer>© Archive</footer><script>track()</script></body>"
    )
    path = path.with_suffix(".html")
    path.write_bytes(page.encode(report.encoding))
    return path


def write_pdf(path: Path, report: Report) -> Path:
    """Flowing, justified text with a running head and page numbers; each section begins a page."""
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer

    styles = getSampleStyleSheet()
    styles["BodyText"].alignment = 4
    flow = [Paragraph(report.title, styles["Title"])]
    for name, fact, asides in report.sections:
        flow += [PageBreak(), Paragraph(name, styles["Heading2"]), Paragraph(" ".join(asides[:2]), styles["BodyText"])]
        flow += [Spacer(1, 12), Paragraph(f"{fact} {asides[2]}", styles["BodyText"])]

    def furnish(sheet: object, document: object) -> None:
        sheet.drawString(72, 800, "Archive of mines")  # type: ignore[attr-defined]
        sheet.drawCentredString(297, 30, f"– {document.page} –")  # type: ignore[attr-defined]

    path = path.with_suffix(".pdf")
    SimpleDocTemplate(str(path), title=report.title).build(flow, onFirstPage=furnish, onLaterPages=furnish)
    return path


def write_docx(path: Path, report: Report) -> Path:
    import docx

    document = docx.Document()
    document.core_properties.title = report.title
    document.add_heading(report.title, 0)
    for name, fact, asides in report.sections:
        document.add_heading(name, 1)
        paragraph = document.add_paragraph(f"{asides[0]} {fact[:15]}")
        paragraph.add_run(fact[15:30]).bold = True
        paragraph.add_run(f"{fact[30:]} {asides[1]}")
        document.add_paragraph(asides[2], style="List Bullet")
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "mine", report.title
    path = path.with_suffix(".docx")
    document.save(str(path))
    return path


def write_wikitext(path: Path, report: Report) -> Path:
    parts = [
        f"{{{{Infobox mine|name={report.title}|depth={{{{convert|300|m}}}}}}}}\n'''{report.title}''' is a [[mine]]."
    ]
    for name, fact, asides in report.sections:
        linked = fact.replace("mine", "[[Mining|mine]]", 1)
        parts.append(
            f"== {name} ==\n{asides[0]} {linked}<ref>{{{{cite book|title=Ore}}}}</ref> {asides[1]}\n"
            f"[[File:Mine.jpg|thumb|A [[mine]]]]\n* {asides[2]}\n<!-- check this -->\n"
        )
    path = path.with_suffix(".wiki")
    path.write_text("\n".join([*parts, "[[Category:Mines]]"]), encoding="utf-8")
    return path


def write_jsonl(path: Path, report: Report) -> Path:
    rows = [
        {"id": f"{report.number}-{name}", "title": f"{report.title}: {name}", "text": f"{asides[0]} {fact}", "n": 1}
        for name, fact, asides in report.sections
    ]
    path = path.with_suffix(".jsonl")
    path.write_text("\n".join(json.dumps(row, ensure_ascii=report.number % 2 == 0) for row in rows), encoding="utf-8")
    return path


def write_table(path: Path, report: Report) -> Path:
    """As spreadsheets save it: quotes where a value holds the separator, a quote or a line break."""
    suffix, separator = ((".csv", ","), (".tsv", "\t"), (".csv", ";"))[report.number // 8 % 3]
    table = io.StringIO()
    writer = csv.writer(table, delimiter=separator, lineterminator="\r\n")
    writer.writerow(["section", "fact", "remark"])
    writer.writerows([name, fact, f"{asides[0]}\n{asides[4 - 1]}"] for name, fact, asides in report.sections)
    path = path.with_suffix(suffix)
    path.write_bytes(table.getvalue().encode("utf-8-sig" if report.number % 2 else "utf-8"))
    return path


WRITERS: tuple[Callable[[Path, Report], Path], ...] = (
    write_text, write_markdown, write_html, write_pdf, write_docx, write_wikitext, write_jsonl, write_table,
)  # fmt: skip


def write_library(folder: Path, count: int, seed: int) -> list[Fact]:
    """So many files of all formats in turn, and every fact they state."""
    chance = random.Random(seed)
    facts = []
    for number in range(count):
        report = plan(number, chance)
        path = WRITERS[number % len(WRITERS)](folder / f"mine-{number:02d}", report)
        for part, (_, fact, _) in enumerate(report.sections):
            facts.append(Fact(path.name, fact, part + 2 if path.suffix == ".pdf" else None))
    return facts
