"""Real files of every format, written by the tools people use, for the reader and ingest tests."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path

FACT = "Mount Everest is 8,849 metres high."
SECOND = "It was first climbed on 29 May 1953 by Tenzing Norgay and Edmund Hillary."


def make_pdf(path: Path, pages: list[list[str]], title: str = "") -> Path:
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfgen import canvas

    sheet = canvas.Canvas(str(path), pagesize=A4)
    if title:
        sheet.setTitle(title)
    for lines in pages:
        block = sheet.beginText(72, 770)
        for line in lines:
            block.textLine(line)
        sheet.drawText(block)
        sheet.showPage()
    sheet.save()
    return path


def make_encrypted_pdf(path: Path) -> Path:
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfgen import canvas

    sheet = canvas.Canvas(str(path), encrypt=StandardEncryption("secret", ownerPassword="owner", strength=128))
    sheet.drawString(72, 700, FACT)
    sheet.save()
    return path


def make_docx(path: Path) -> Path:
    import docx

    document = docx.Document()
    document.add_heading("Everest", level=1)
    document.add_paragraph(FACT)
    document.add_heading("First ascent", level=2)
    document.add_paragraph(SECOND)
    document.add_paragraph("A listed thing", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(
        [*table.rows[0].cells, *table.rows[1].cells], ["Peak", "Height", "Lhotse", "8,516 m"], strict=True
    ):
        cell.text = text
    document.save(str(path))
    return path


def make_zip_bomb(path: Path) -> Path:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", b"\0" * 60_000_000)
    path.write_bytes(buffer.getvalue())
    return path


HTML = f"""<!doctype html><html><head><title>Everest – Encyclopedia</title>
<meta property="article:published_time" content="2021-05-03T10:00:00Z">
<style>p {{ color: red }}</style><script>var secret = "Home";</script></head>
<body><nav><a href="/">Home</a> <a href="/about">About</a></nav>
<div class="cookie-banner">We use cookies.</div>
<main><article><header><h1>Everest</h1></header>
<p>Mount <b>Everest</b> is 8,849&nbsp;metres
 high &amp; cold.</p><p style="display: none">hidden words</p>
<h2>First ascent</h2><p>{SECOND}</p>
<ul><li>South <i>Col</i> route</li><li>North ridge</li></ul>
<table><tr><th>Peak</th><th>Height</th></tr><tr><td>Lhotse</td><td>8,516 m</td></tr></table>
<pre>def f(x):
    return x</pre></article></main>
<footer>Copyright</footer><script>track()</script></body></html>"""

WIKITEXT = f"""{{{{Infobox mountain|height=8849}}}}
'''Mount Everest''' is a [[mountain range|mountain]] in [[Nepal]].<ref>A book, p. 3</ref> {FACT}<!-- a remark -->
[[File:Everest.jpg|thumb|A photo]]

== History ==
{SECOND}
* one [https://example.org link]
* two &ndash; three

=== Later ===
Nothing ''much''.
[[Category:Mountains]]
"""

MARKDOWN = f"""---
title: Everest notes
date: 2020-02-03
---
# Everest

{FACT}

```
# not a heading
```

First ascent
------------

{SECOND}
"""


def make_everything(folder: Path) -> dict[str, Path]:
    """One good file of every format."""
    folder.mkdir(parents=True, exist_ok=True)
    made: dict[str, Path] = {}

    def put(name: str, content: str, encoding: str = "utf-8") -> None:
        made[name] = folder / name
        made[name].write_bytes(content.encode(encoding))

    put("plain.txt", f"{FACT}\n\n{SECOND}\n")
    put("latin.txt", "Die Höhe des Gipfels beträgt über achttausend Meter; größer ist keiner. " * 5, "cp1252")
    put("wide.txt", f"{FACT}\n", "utf-16")
    put("bom.txt", "\ufeff" + FACT)
    put("dos.txt", f"{FACT}\r\n{SECOND}\r\n")
    put("notes.md", MARKDOWN)
    put("page.html", HTML)
    put("Mount_Everest.wiki", WIKITEXT)
    put(
        "records.jsonl",
        json.dumps({"id": "e1", "title": "Everest", "text": FACT, "date": "2019-01-02"})
        + "\n\n"
        + json.dumps({"text": SECOND, "url": "https://example.org/ascent"})
        + "\n",
    )
    table = io.StringIO()
    csv.writer(table).writerows([["Peak", "Height (m)"], ["Everest", "8,849"], ["Lhotse", "8,516"]])
    put("peaks.csv", table.getvalue())
    put("peaks.tsv", "Peak\tHeight (m)\nEverest\t8849\n")
    made["paper.pdf"] = make_pdf(
        folder / "paper.pdf",
        [["Everest is 8,849 metres high, as a sur-", "vey of both countries found."], ["A second page.", SECOND]],
        "A paper",
    )
    made["memo.docx"] = make_docx(folder / "memo.docx")
    return made
