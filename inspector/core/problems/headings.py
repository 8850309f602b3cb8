"""Rules about headings: levels, titles, and lines that are headings by accident or are none by accident."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from inspector.core.blocks import Block, Kind
from inspector.core.document import Document, Heading
from inspector.core.problems.problem import Problem, Severity, marked, quoted
from inspector.core.problems.structure import TAB, at_positions
from inspector.core.span import Span

LONGEST_HEADING = 120
"""Characters past which a heading is a sentence rather than a name."""
LONGEST_TITLE = 100
"""Characters of a title, which stands before every chunk: about 25 tokens of each."""

NEAR = 400
"""Characters before a heading that are searched for a component's tag."""

_HASHES = re.compile(r"^ {0,3}(#{2,6})(?=[^\W\d_])[^\n]*$", re.MULTILINE)
_RUNS_ON = re.compile(r"[.:;,…。：；，、][\"'”’)\]*_`]*\Z")
_COMPONENT = re.compile(r"^[ \t]*<[A-Z]\w*[^<>\n]*>[ \t]*\n\s*\Z", re.MULTILINE)
"""The tag of a component right before a heading, as `<DeepDive>`: levels begin anew in it."""
_TITLE_KEY = re.compile(r"^[\"']?title[\"']?[ \t]*[:=][^\n]*$", re.MULTILINE)


def _outline(document: Document) -> list[tuple[Heading, Block]]:
    """Return the headings that are no heads of tabs, each with its block."""
    text = document.line_map.text
    both = zip(document.headings, document.outline, strict=True)
    return [(heading, block) for heading, block in both if not TAB.search(text, block.start, block.end)]


def skipped_level(document: Document) -> Iterator[Problem]:
    """A heading two or more levels below the one before it."""
    text = document.line_map.text
    for (before, _), (heading, block) in pairwise(_outline(document)):
        near = max(0, block.start - NEAR)
        if heading.level > before.level + 1 and not _COMPONENT.search(text, near, block.start):
            yield Problem(
                "skipped-level", Severity.NOTE,
                f"{quoted(heading.text)} is a {marked(heading.level)} right below the {marked(before.level)} "
                f"{quoted(before.text)}: a level is skipped.",
                heading.span, heading.line, f"Make it a {marked(before.level + 1)}.",
            )  # fmt: skip


def multiple_h1(document: Document) -> Iterator[Problem]:
    """More than one h1, once a document: each later one begins a section and starts the trail anew."""
    found = [heading for heading, _ in _outline(document) if heading.level == 1]
    if len(found) < 2:
        return
    second = found[1]
    more = f" and {len(found) - 2} more" if len(found) > 2 else ""
    yield Problem(
        "multiple-h1", Severity.NOTE,
        f"{quoted(second.text)} is a second #{more}: a trail begins anew there, without {quoted(found[0].text)}.",
        second.span, second.line, "Keep one # for the title and make the others ##.",
    )  # fmt: skip


def hash_without_space(document: Document) -> Iterator[Problem]:
    """A line like `##Install` in a paragraph: CommonMark wants a blank after the hashes."""
    text = document.line_map.text
    if _HASHES.search(text) is None:
        return
    for block in document.tree.blocks:
        if block.kind is not Kind.PARAGRAPH:
            continue
        for match in _HASHES.finditer(text, block.start, block.end):
            span, line = at_positions(document, match.start(), match.end())
            yield Problem(
                "hash-without-space", Severity.WARNING,
                f"Line {line} begins with {match[1]} but no blank after it: it is text, no heading.",
                span, line, f"Put a blank after {match[1]}.",
            )  # fmt: skip


def accidental_setext(document: Document) -> Iterator[Problem]:
    """A paragraph that a line of dashes right below it makes a heading."""
    for block, heading in zip(document.outline, document.headings, strict=True):
        if block.markup not in ("-", "=") or not block.inlines:
            continue
        content = block.inlines[0].content
        if "\n" in content or len(heading.text) > LONGEST_HEADING or _RUNS_ON.search(content):
            yield Problem(
                "accidental-setext", Severity.WARNING,
                f"The line of {block.markup} below {quoted(heading.text)} makes a heading of it.",
                heading.span, heading.line, "Put a blank line between them.",
            )  # fmt: skip


def heading_too_long(document: Document) -> Iterator[Problem]:
    """A heading as long as a paragraph: it stands in the trail of every chunk below it."""
    for heading in document.headings:
        if len(heading.text) > LONGEST_HEADING:
            yield Problem(
                "heading-too-long", Severity.NOTE,
                f"{quoted(heading.text)} has {len(heading.text):,} characters: repeated in every piece of its "
                "section, it crowds out what is below it.",
                heading.span, heading.line, "Say it in a few words and move the rest into the text.",
            )  # fmt: skip


def long_title(document: Document) -> Iterator[Problem]:
    """A title so long that it takes a good part of every embedding input."""
    title = document.title
    if len(title) <= LONGEST_TITLE:
        return
    block = document.title_block
    stated = _TITLE_KEY.search(document.line_map.text, 0, document.body_start)
    if stated is not None:
        span, line = at_positions(document, stated.start(), stated.end())
    elif block is not None:
        span, line = at_positions(document, block.start, block.end)
    else:
        span, line = Span(0, 0), 1
    yield Problem(
        "long-title", Severity.WARNING,
        f"The title has {len(title):,} characters and is put before every chunk: {quoted(title)}.",
        span, line, "Shorten it, or set the context to none.",
    )  # fmt: skip
