"""Rules about a file's bytes: encoding, control characters, line ends, front matter."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from inspector.core.document import Document
from inspector.core.problems.problem import Problem, Severity
from inspector.core.span import Span
from inspector.core.text import INVISIBLE

_NOWHERE = Span(0, 0)


def unreadable(name: str, why: str) -> Problem:
    """A file that cannot be read: there is no document to look at."""
    return Problem(
        "unreadable", Severity.ERROR, f"Can't read {name}: {why}.", _NOWHERE, 0,
        "Change its permissions, or exclude it.",
    )  # fmt: skip


def binary(document: Document) -> Iterator[Problem]:
    """A file that is no text."""
    if document.decoded.is_binary:
        yield Problem(
            "binary", Severity.ERROR, "This file is binary, not text: it is not read.", _NOWHERE, 0,
            "Move it out of the folder, or exclude it.",
        )  # fmt: skip


def bad_bytes(document: Document) -> Iterator[Problem]:
    """Bytes that are not UTF-8 in a file that otherwise is, or that its byte order mark does not allow."""
    decoded = document.decoded
    if decoded.bad_byte is None or decoded.is_guess or decoded.is_binary:
        return
    offset = max(0, decoded.text.find("\ufffd"))
    yield Problem(
        "bad-bytes", Severity.WARNING,
        f"Byte 0x{decoded.bad_value:02X} is not {decoded.encoding}: it reads \N{REPLACEMENT CHARACTER}.",
        Span(offset, offset + 1), document.lines.line_of(offset),
        "Save the file as UTF-8.",
    )  # fmt: skip


def encoding_guessed(document: Document) -> Iterator[Problem]:
    """A file that is not UTF-8: shown in the encoding that fits best."""
    decoded = document.decoded
    if not decoded.is_guess or decoded.is_binary:
        return
    offset = next((i for i, character in enumerate(decoded.text) if character > "\x7f"), 0)
    line = document.lines.line_of(offset)
    yield Problem(
        "encoding-guessed", Severity.WARNING,
        f"Not UTF-8: byte 0x{decoded.bad_value:02X} at line {line}. Shown as {decoded.encoding}.",
        Span(offset, offset + 1), line, "Save the file as UTF-8.",
    )  # fmt: skip


def nul(document: Document) -> Iterator[Problem]:
    """NUL characters, which read U+FFFD in chunks (CommonMark 2.3)."""
    source = document.source
    offset = source.find("\0")
    if offset >= 0:
        count = source.count("\0")
        yield Problem(
            "nul", Severity.WARNING, f"{count} NUL character{'s' * (count > 1)}, shown as \ufffd.",
            Span(offset, offset + 1), document.lines.line_of(offset), "Delete them.",
        )  # fmt: skip


def line_endings(document: Document) -> Iterator[Problem]:
    """Line ends that a splitter written for LF trips over."""
    counts = document.lines.counts
    used = {name: count for name, count in counts.items() if count}
    if not used or set(used) == {"lf"}:
        return
    lost = _headings_lost(document)
    headings = sum(1 for heading in document.headings if heading.level in (2, 3))
    effect = f" A JavaScript splitter without the m flag loses {lost} of {headings} headings here." if lost else ""
    shown = ", ".join(f"{count:,} {name.upper()}" for name, count in used.items())
    first = next(i for i, end in enumerate(document.lines.ends) if end not in ("\n", ""))
    span = document.lines.span_of(first + 1)
    if len(used) > 1:
        message, severity = f"Mixed line ends: {shown}.{effect}", Severity.WARNING
    elif "cr" in used:
        message, severity = f"Every line ends with a lone CR.{effect}", Severity.WARNING
    else:
        message, severity = f"Every line ends with CRLF.{effect}", Severity.NOTE
    yield Problem("line-endings", severity, message, span, first + 1, "Save the file with LF line ends.")


def _headings_lost(document: Document) -> int:
    """How many h2 and h3 lines do not end with LF alone, which `^###\\s+(.+)$` without m does not match."""
    lines = document.lines
    return sum(
        1 for heading in document.headings if heading.level in (2, 3) and lines.ends[heading.line - 1] in ("\r\n", "\r")
    )


def invisible_characters(document: Document) -> Iterator[Problem]:
    """Characters nobody sees: a warning where they are in a heading, else one note for the document."""
    source = document.source
    if source.isascii():
        return
    in_headings = [heading.span for heading in document.headings]
    elsewhere: list[int] = []
    for match in INVISIBLE.finditer(source, 1 if source.startswith("\ufeff") else 0):
        at = match.start()
        heading = next((span for span in in_headings if span.start <= at < span.end), None)
        if heading is None:
            elsewhere.append(at)
            continue
        line = document.lines.line_of(at)
        yield Problem(
            "invisible-characters", Severity.WARNING,
            f"The heading at line {line} holds {_name(match.group())}: nobody sees it, a search does.",
            Span(at, at + 1), line, "Delete the character.",
        )  # fmt: skip
    if elsewhere:
        at = elsewhere[0]
        line = document.lines.line_of(at)
        count = len(elsewhere)
        first = f"first {_name(source[at])} at line {line}"
        yield Problem(
            "invisible-characters", Severity.NOTE,
            f"{count:,} invisible character{'s' * (count > 1)}, {first}.",
            Span(at, at + 1), line, "Delete those that are not meant.",
        )  # fmt: skip


def _name(character: str) -> str:
    name = unicodedata.name(character, "").lower()
    return f"U+{ord(character):04X}" + (f" ({name})" if name else "")


def front_matter(document: Document) -> Iterator[Problem]:
    """Front matter that cannot be read."""
    found = document.front_matter
    if found is not None and found.fault:
        span = document.line_map.span(1 if document.source.startswith("\ufeff") else 0, found.end)
        yield Problem(
            "front-matter", Severity.WARNING, f"The front matter is left out but not understood: {found.fault}.",
            span, 1, "Correct it, so that title, date and tags count.",
        )  # fmt: skip
