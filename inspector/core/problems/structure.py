"""Rules about a document's structure: fences, comments, headings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.core.blocks import Kind, walk
from inspector.core.document import Document
from inspector.core.html import has_unclosed_comment
from inspector.core.parser import MAX_NESTING
from inspector.core.problems.problem import Problem, Severity
from inspector.core.span import Span

_HASHES = re.compile(r"^ {0,3}#{1,6}[ \t]+\S.*$", re.MULTILINE)
_NAIVE = re.compile(r"^#{2,3}[ \t]+\S[^\n]*$", re.MULTILINE)
_LOOKALIKE = re.compile(
    "^(?:[\u200b\u200c\u200d\u2060\ufeff\u00a0\u00ad]+ {0,3}(#{1,6})[ \t]|"
    " {0,3}(#{1,6})[\u00a0\u200b\u2060\u202f\u2007\u3000\u2003\u2002\u2009\ufeff])",
    re.MULTILINE,
)
TAB = re.compile(r"\]\(#tab/")
"""The head of a tab in Microsoft's documentation, written as a heading: `# [C#](#tab/csharp)`."""

_NAMES = {
    "\u00a0": "a no-break space",
    "\u202f": "a narrow no-break space",
    "\u200b": "a zero-width space",
    "\u3000": "an ideographic space",
    "\ufeff": "a byte order mark",
    "\u00ad": "a soft hyphen",
}


def at_positions(document: Document, start: int, end: int) -> tuple[Span, int]:
    """Return the source span of a range of positions, and the 1-based line it begins in."""
    span = document.line_map.span(start, end)
    return span, document.lines.line_of(span.start)


def nesting(document: Document) -> Iterator[Problem]:
    """Lists or quotes nested deeper than is read."""
    if not document.tree.too_deep:
        return
    deepest = next((block for block in document.tree.blocks if block.children), None)
    span, line = at_positions(document, deepest.start, deepest.end) if deepest else (Span(0, 0), 1)
    yield Problem(
        "nesting", Severity.WARNING, f"Nested deeper than {MAX_NESTING} levels: what is deeper is kept as plain text.",
        span, line, "Nest lists and quotes less deeply.",
    )  # fmt: skip


def unclosed_fence(document: Document) -> Iterator[Problem]:
    """A fence that runs to the end: an error where it swallows headings."""
    text = document.line_map.text
    for block in walk(document.tree.blocks):
        if block.kind is not Kind.FENCE or block.is_closed:
            continue
        swallowed = len(_HASHES.findall(text[block.start : block.end]))
        span, line = at_positions(document, block.start, block.end)
        effect = f": {swallowed} heading{'s' * (swallowed > 1)} below it are code" if swallowed else ""
        yield Problem(
            "unclosed-fence", Severity.ERROR if swallowed else Severity.WARNING,
            f"The fence opened at line {line} runs to the end{effect}.",
            span, line, f"Close it with {block.markup}",
        )  # fmt: skip


def unclosed_comment(document: Document) -> Iterator[Problem]:
    """A comment that is never closed, and so stays."""
    text = document.line_map.text
    for block in walk(document.tree.blocks):
        at: int | None = None
        if block.kind is Kind.HTML:
            at = has_unclosed_comment(text, block.start, block.end)
        else:
            for inline in block.inlines:
                offset = inline.content.find("<!--")
                if offset >= 0 and not any(mark.start <= offset < mark.end for mark in inline.marks):
                    at = inline.position(offset)
                    break
        if at is not None:
            span, line = at_positions(document, at, at + 4)
            yield Problem(
                "unclosed-comment", Severity.WARNING, f"The comment opened at line {line} is never closed: it stays.",
                span, line, "Close it with -->",
            )  # fmt: skip
            return


def heading_in_fence(document: Document) -> Iterator[Problem]:
    """A `##` line in a fence that a splitter without fence state takes for a heading; once a document."""
    text = document.line_map.text
    found: list[int] = []
    for block in walk(document.tree.blocks):
        if block.kind is Kind.FENCE:
            found.extend(match.start() for match in _NAIVE.finditer(text, block.start, block.end))
    if found:
        end = text.find("\n", found[0])
        span, line = at_positions(document, found[0], end if end >= 0 else len(text))
        more = f" and {len(found) - 1} more are" if len(found) > 1 else " is"
        yield Problem(
            "heading-in-fence", Severity.NOTE,
            f"The ## at line {line}{more} in a fence: no heading, but a naive splitter cuts there.",
            span, line, "Nothing to do here; check the splitter your site uses.",
        )  # fmt: skip


def heading_lookalike(document: Document) -> Iterator[Problem]:
    """A line that looks like a heading but has a no-break or zero-width space where a blank should be."""
    text = document.line_map.text
    if text.isascii():
        return
    code = [
        (block.start, block.end)
        for block in walk(document.tree.blocks)
        if block.kind in (Kind.FENCE, Kind.CODE, Kind.HTML, Kind.MATH)
    ]
    for match in _LOOKALIKE.finditer(text, document.body_start):
        if any(start <= match.start() < end for start, end in code):
            continue
        odd = next(c for c in match.group() if c not in " \t#")
        end = text.find("\n", match.start())
        span, line = at_positions(document, match.start(), end if end >= 0 else len(text))
        yield Problem(
            "heading-lookalike", Severity.WARNING,
            f"Line {line} looks like a heading but has {_NAMES.get(odd, f'U+{ord(odd):04X}')}: it is text.",
            span, line, "Replace it with a plain space.",
        )  # fmt: skip
