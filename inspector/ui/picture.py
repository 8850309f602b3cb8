"""What the source view draws for one chunking, in source offsets: runs, dim spans and pills; no Qt."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise

from inspector.core.chunk import Chunk, Chunking, Fate, Removed, Rung, SectionResult
from inspector.core.document import Document
from inspector.core.ghost import Ghost, find_ghost, why_invented, why_lost
from inspector.core.ledger import read_ledger
from inspector.core.span import Span
from inspector.core.unseen import Unseen, unseen_in

SHOWN_REASONS = frozenset(
    {"comment", "image", "url", "link definition", "code tail", "site syntax", "not in any chunk"}
)
"""Removals that get a pill; the others (link marks, tags, white space) show by their strike alone."""
PLAIN_REASONS = frozenset({"whitespace", "bom"})
DIM_REASONS = frozenset({"front matter", "title", "heading marks"})
"""What a model does see in another form is dim without a strike."""
STRETCH = 8_000
"""Characters before and after a place whose removals are read with it."""
MARGIN = 2_000
"""Characters at the edges of such a stretch that are not drawn from it: a removal may be cut there."""
_FENCED_HEADING = re.compile(r" {0,3}#{2,3}[ \t]")
_TITLE_LINE = re.compile(r"""["']?title["']?\s*[:=]""")


@dataclass(frozen=True, slots=True)
class TokenMark:
    """How the target model reads one chunk.

    `unread_from` is the source offset where it stops, None when all is read or when it stops in added text;
    `prefix_tokens` counts the title and what else stands before the chunk's own text.
    """

    tokens: int
    limit: int
    unread_tokens: int = 0
    unread_from: int | None = None
    prefix_tokens: int = 0
    is_approximate: bool = False


class Lens(StrEnum):
    """What the lens over the source shows."""

    OFF = "off"
    MARKS = "marks"
    GHOST = "ghost"

    @property
    def next(self) -> Lens:
        """The lens that F9 puts on after this one."""
        order = list(Lens)
        return order[(order.index(self) + 1) % len(order)]


class Style(StrEnum):
    """How a span of the text differs from plain text."""

    DIM = "dim"
    STRUCK = "struck"
    FOLDED = "folded"
    UNREAD = "unread"
    DROPPED = "dropped"
    FENCED = "fenced"


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of the source with the tint of one chunk; `is_first` when the chunk starts here."""

    start: int
    end: int
    chunk: int
    is_first: bool


@dataclass(frozen=True, slots=True)
class PillText:
    """A label for a place: its words, shorter words for narrow panes, and its colour's name in the theme."""

    text: str
    short: str
    token: str
    is_filled: bool = False


class Picture:
    """A chunking as the source view draws it; everything is looked up for the lines in sight."""

    def __init__(
        self,
        document: Document,
        chunking: Chunking,
        marks: tuple[TokenMark, ...] = (),
        lens: Lens = Lens.OFF,
        ghost: Ghost | None = None,
    ) -> None:
        """Look everything up; `ghost` is made here where the lens shows it and none is given."""
        self.document = document
        self.chunking = chunking
        self.marks = marks
        self.lens = lens
        self.ghost = (ghost or find_ghost(document)) if lens is Lens.GHOST else None
        self.folded = tuple(section for section in chunking.sections if section.fate is Fate.FOLDED)
        self.dropped = tuple(section for section in chunking.sections if section.fate is Fate.DROPPED)
        # of a stretch of the source: a drag draws a new picture at every move
        self._stretch = Span(0, 0)
        self._removed: tuple[Removed, ...] = ()
        self._removed_starts: list[int] = []
        self._runs: tuple[Run, ...] = ()
        self._shared: tuple[tuple[Span, int], ...] = ()
        self._run_starts: list[int] = []
        self._run_ends: list[int] = []
        self._folded_starts = [section.span.start for section in self.folded]
        self._dropped_starts = [section.span.start for section in self.dropped]
        self.unread: tuple[Span, ...] = tuple(self._find_unread())
        self._unread_starts = [span.start for span in self.unread]

    def mark(self, chunk: int) -> TokenMark | None:
        """Return how the target model reads a chunk, None while that is not known."""
        return self.marks[chunk] if chunk < len(self.marks) else None

    def runs_in(self, start: int, end: int) -> tuple[Run, ...]:
        """Return the runs that touch `[start, end]`."""
        self._read_stretch(start, end)
        first = bisect_right(self._run_ends, start - 1)
        last = bisect_right(self._run_starts, end)
        return self._runs[first:last]

    def runs_of(self, chunk: int) -> tuple[Run, ...]:
        """Return the runs of one chunk."""
        span = self.chunking.chunks[chunk].span
        return tuple(run for run in self._find_runs(span.start, span.end) if run.chunk == chunk)

    def chunk_at(self, offset: int) -> int | None:
        """Return the chunk whose tint covers an offset, or which is about to start on that line."""
        for run in self.runs_in(offset, offset):
            if run.start <= offset <= run.end:
                return run.chunk
        return None

    def shared_in(self, start: int, end: int) -> Iterator[tuple[Span, int]]:
        """Yield what of `[start, end)` stands in two chunks, with the number of the second."""
        self._read_stretch(start, end)
        for span, chunk in self._shared:
            if span.start < end and span.end > start:
                yield span, chunk

    def folded_in(self, start: int, end: int) -> list[SectionResult]:
        """Return the folded sections that touch `[start, end)`."""
        return _touching(self.folded, self._folded_starts, start, end)

    def dropped_in(self, start: int, end: int) -> list[SectionResult]:
        """Return the dropped sections that touch `[start, end)`."""
        return _touching(self.dropped, self._dropped_starts, start, end)

    def removed_in(self, start: int, end: int) -> tuple[Removed, ...]:
        """Return the removals that touch `[start, end)`."""
        self._read_stretch(start, end)
        first = bisect_right(self._removed_starts, start) - 1
        if first < 0 or self._removed[first].span.end <= start:
            first += 1
        return self._removed[first : bisect_left(self._removed_starts, end)]

    def seen_in(self, start: int, end: int) -> tuple[object, ...]:
        """Return what is drawn of `[start, end)` beside pills, to be compared with another picture's."""
        return (
            self.runs_in(start, end),
            tuple(self.shared_in(start, end)),
            self.removed_in(start, end),
            tuple(self.unread_in(start, end)),
            [section.span for section in self.folded_in(start, end)],
            [section.span for section in self.dropped_in(start, end)],
        )

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """All runs of the source, in order."""
        return tuple(self._find_runs(0, self.document.characters))

    def _read_stretch(self, start: int, end: int) -> None:
        """Read runs and removals of a stretch that holds `[start, end)` well within, where they are not read yet."""
        length, stretch = self.document.characters, self._stretch
        begins = stretch.start == 0 or stretch.start + MARGIN <= start
        ends = stretch.end == length or end + MARGIN <= stretch.end
        if begins and ends and stretch.end:
            return
        self._stretch = Span(max(0, start - STRETCH), min(length, end + STRETCH))
        if "removed" in self.chunking.__dict__:  # the worker has read the whole account
            self._removed = self.chunking.removed
        else:
            self._removed = read_ledger(self.chunking, self._stretch.start, self._stretch.end)
        self._removed_starts = [removed.span.start for removed in self._removed]
        self._runs = tuple(self._find_runs(self._stretch.start, self._stretch.end))
        self._run_starts = [run.start for run in self._runs]
        self._run_ends = [run.end for run in self._runs]
        self._shared = tuple(self._find_shared(self._stretch))

    def _find_shared(self, stretch: Span) -> Iterator[tuple[Span, int]]:
        """Yield the stretches that a chunk repeats of the one before it: from spans, never by comparing text."""
        chunks = [
            c for c in self.chunking.chunks if c.spans and c.span.end > stretch.start and c.span.start < stretch.end
        ]
        for before, after in pairwise(chunks):
            if after.span.start < before.span.end:
                yield Span(after.span.start, min(before.span.end, after.span.end)), after.index

    def unread_in(self, start: int, end: int) -> Iterator[Span]:
        """Yield the unread tails that touch `[start, end)`."""
        first = max(0, bisect_right(self._unread_starts, start) - 1)
        for span in self.unread[first : bisect_left(self._unread_starts, end)]:
            if span.end > start:
                yield span

    def styles_in(self, start: int, end: int) -> Iterator[tuple[int, int, Style]]:
        """Yield spans within `[start, end)` that look different, what is said later on top."""
        for section in self.folded_in(start, end):
            yield max(start, section.span.start), min(end, section.span.end), Style.FOLDED
        for span in self.unread_in(start, end):
            yield max(start, span.start), min(end, span.end), Style.UNREAD
        for removed in self.removed_in(start, end):
            if removed.reason in PLAIN_REASONS:
                continue
            style = Style.STRUCK
            if removed.reason in DIM_REASONS:
                style = Style.DIM
            elif removed.reason == "dropped":
                style = Style.DROPPED
            yield max(start, removed.span.start), min(end, removed.span.end), style
        if self.is_heading_in_fence(start, end):
            yield start, end, Style.FENCED

    def is_heading_in_fence(self, start: int, end: int) -> bool:
        """Say whether a line is code that a naive splitter would take for a heading."""
        if not self._is_line_start(start) or not _FENCED_HEADING.match(self.document.source, start, end):
            return False
        return any(fence.span.start < start < fence.span.end for fence in self.document.fences)

    def _is_line_start(self, offset: int) -> bool:
        return offset == 0 or self.document.source[offset - 1] in "\r\n"

    def starting_at(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield (offset, chunk) for each chunk that starts in `[start, end]`."""
        self._read_stretch(start, end)
        first = bisect_left(self._run_starts, start)
        for run in self._runs[first : bisect_right(self._run_starts, end)]:
            if run.is_first:
                yield run.start, run.chunk

    def pills_at(self, start: int, end: int) -> Iterator[PillText]:
        """Yield the pills of a line whose text is `[start, end)`, those of a chunk's start first."""
        if self.ghost is not None:
            yield from self._ghost_pills(self.ghost, start, end)
            return
        if self.lens is Lens.MARKS:
            yield from self._mark_pills(start, end)
            return
        for _, chunk in self.starting_at(start, end):
            yield from chunk_pills(self.chunking.chunks[chunk], self.mark(chunk))
        for section in self.folded_in(start, end):
            if start <= self._first_word(section) <= end and section.chunk is not None:
                yield self._folded_pill(section)
        for section in self.dropped_in(start, end + 1):
            if start <= self._first_word(section) <= end:
                size = f"dropped {section.characters:,} < {self.chunking.options.drop:,}"
                yield PillText(size, "dropped", "dim")
        yield from self._removed_pills(start, end)
        if self.is_heading_in_fence(start, end):
            yield PillText("in a fence: no heading", "in a fence", "cut")
        for span in self.unread_in(start, end + 1):
            if start <= span.start <= end:
                chunk_at = self.chunk_at(span.start)
                mark = self.mark(chunk_at) if chunk_at is not None else None
                if mark is not None:
                    words = f"{mark.limit:,} tokens: the model stops reading here, {mark.unread_tokens:,} unread"
                    yield PillText(words, f"{mark.limit:,} tokens: {mark.unread_tokens:,} unread", "truncation", True)

    def unseen_in(self, start: int, end: int) -> Iterator[Unseen]:
        """Yield the characters that nobody sees of `[start, end)`; none while the lens does not show them."""
        if self.lens is Lens.MARKS:
            yield from unseen_in(self.document.source, start, end)

    def invented_in(self, start: int, end: int) -> bool:
        """Say whether the naive splitter cuts at a line that begins in `[start, end)` and is no heading."""
        return self.ghost is not None and _any_in(self.ghost.invented, start, end)

    def lost_in(self, start: int, end: int) -> bool:
        """Say whether the naive splitter misses a heading whose line begins in `[start, end)`."""
        return self.ghost is not None and _any_in(self.ghost.lost, start, end)

    def _ghost_pills(self, ghost: Ghost, start: int, end: int) -> Iterator[PillText]:
        if not self._is_line_start(start):
            return
        number = ghost.chunk_at(start)
        first, last = ghost.chunks[number] if ghost.chunks else (-1, -1)
        if first == start:
            size = f"ghost {number + 1:,} · {last - first:,} ch"
            yield PillText(size, f"ghost {number + 1:,}", "fault" if ghost.differs else "dim")
        if self.invented_in(start, start + 1):
            why = why_invented(self.document, start)
            yield PillText(f"invented: {why}", "invented", "fault", is_filled=True)
        if self.lost_in(start, start + 1):
            yield PillText(f"lost: {why_lost(self.document, start)}", "lost", "fault", is_filled=True)

    def _mark_pills(self, start: int, end: int) -> Iterator[PillText]:
        lines = self.document.lines
        number = lines.line_of(start)
        line = lines.span_of(number)
        for fence in self.document.fences:
            if fence.line == number and self._is_line_start(start):
                words = "fence opens" if fence.is_closed else "fence opens, never closed"
                yield PillText(words, "opens", "dim" if fence.is_closed else "fault", is_filled=not fence.is_closed)
            elif fence.is_closed and line.start < fence.span.end <= line.end < end + 1:
                yield PillText("fence closes", "closes", "dim")
        names = [unseen.name for unseen in self.unseen_in(start, end)]
        if names:
            yield PillText(" ".join(names), f"{len(names)} unseen", "fault")
        if end >= line.end:
            name = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}.get(lines.ends[number - 1], "")
            if name:
                yield PillText(name, name, "dim" if name == "LF" else "fault")

    def fence_cap_at(self, start: int, end: int) -> tuple[bool, bool, bool] | None:
        """Say of a line in a fenced block: does it open here, does it close here, is it ever closed."""
        for fence in self.document.fences:
            if fence.span.start < end + 1 and start < fence.span.end:
                return start <= fence.span.start, end >= fence.span.end, fence.is_closed
        return None

    def _first_word(self, section: SectionResult) -> int:
        """Return where a section's text begins, past blank lines."""
        source, at = self.document.source, section.span.start
        while at < section.span.end and source[at].isspace():
            at += 1
        return at

    def _folded_pill(self, section: SectionResult) -> PillText:
        limit = self.chunking.options.fold
        sign = "<" if section.characters < limit else "≥"
        number = (section.chunk or 0) + 1
        token = "band_b" if (section.chunk or 0) % 2 else "band_a"
        return PillText(f"folded {section.characters:,} {sign} {limit:,} → #{number}", f"folded → #{number}", token)

    def _removed_pills(self, start: int, end: int) -> Iterator[PillText]:
        seen: set[str] = set()
        source = self.document.source
        for removed in self.removed_in(start, end + 1):
            reason, span = removed.reason, removed.span
            if reason == "front matter" and self._is_line_start(start):
                if _TITLE_LINE.match(source, start, end):
                    yield PillText("title → before every chunk", "title", "dim")
                elif self._is_last_line(span, start, end):
                    yield PillText("front matter", "front matter", "dim")
            elif reason == "title" and start <= span.start:
                yield PillText("title → before every chunk", "title", "dim")
            elif reason in SHOWN_REASONS and reason not in seen and start <= span.start <= end:
                seen.add(reason)
                yield PillText(f"removed: {reason}", "removed", "dim")

    def _is_last_line(self, span: Span, start: int, end: int) -> bool:
        return span.start < start < end and not self.document.source[end : span.end].strip()

    def _find_runs(self, first: int, last: int) -> Iterator[Run]:
        """Yield the runs of the chunks that touch `[first, last]`, whole."""
        spans = [
            (span, chunk.index)
            for chunk in self.chunking.chunks
            if chunk.spans and chunk.spans[0].start <= last and chunk.spans[-1].end >= first
            for span in chunk.spans
        ]
        spans.sort()
        lines = self.document.lines
        begun: set[int] = set()
        start = end = -1
        owner = -1
        for span, chunk in spans:
            if chunk == owner and not self._is_parted(end, span.start):
                end = max(end, span.end)
                continue
            if owner >= 0:
                end = self._line_end(end, span.start)
                yield Run(start, end, owner, owner not in begun)
                begun.add(owner)
            line_start = lines.starts[lines.line_of(span.start) - 1]
            start = max(line_start, end) if owner >= 0 else line_start
            end, owner = max(span.end, start), chunk
        if owner >= 0:
            yield Run(start, self._line_end(end, len(self.document.source)), owner, owner not in begun)

    def _is_parted(self, start: int, end: int) -> bool:
        at = bisect_left(self._dropped_starts, start)
        return at < len(self._dropped_starts) and self._dropped_starts[at] < end

    def _line_end(self, end: int, limit: int) -> int:
        lines = self.document.lines
        line_end = lines.span_of(lines.line_of(max(0, end - 1))).end
        return max(end, min(line_end, limit))

    def _find_unread(self) -> Iterator[Span]:
        for chunk, mark in zip(self.chunking.chunks, self.marks, strict=False):
            if mark.unread_from is not None and mark.unread_from < chunk.span.end:
                yield Span(mark.unread_from, chunk.span.end)


def chunk_pills(chunk: Chunk, mark: TokenMark | None) -> Iterator[PillText]:
    """Yield the pills at a chunk's start: why it starts there and how big it is, what was added, what is unread."""
    is_whole = chunk.starts_at in (Rung.SECTION, Rung.DOCUMENT)
    rung = str(chunk.starts_at) if is_whole else f"cut: {chunk.starts_at}"
    added = sorted({piece.why for piece in chunk.pieces if piece.span is None and piece.why and piece.text.strip()})
    if any("heading" in why for why in added) and not is_whole:
        rung_words = f"{rung} · heading repeated"
    else:
        rung_words = rung
    sizes = f"{chunk.characters:,} ch"
    if mark is not None:
        sizes += f" · {'≈' if mark.is_approximate else ''}{mark.tokens:,} tok"
    token = ("band_b" if chunk.index % 2 else "band_a") if is_whole else "cut"
    yield PillText(f"{rung_words} · {sizes}", rung, token, is_filled=chunk.starts_at is Rung.CHARACTER)
    if not is_whole and mark is not None and mark.prefix_tokens:
        yield PillText(f"+ title {mark.prefix_tokens:,} tok", "+ title", "dim")
    if mark is not None and mark.unread_tokens:
        if mark.unread_from is None:
            words = f"TRUNCATED: title and heading alone use {mark.prefix_tokens:,} tokens"
            yield PillText(words, "TRUNCATED", "truncation", True)
        else:
            yield PillText("TRUNCATED", "TRUNCATED", "truncation")


def _any_in(offsets: tuple[int, ...], start: int, end: int) -> bool:
    at = bisect_left(offsets, start)
    return at < len(offsets) and offsets[at] < end


def _touching(sections: tuple[SectionResult, ...], starts: list[int], start: int, end: int) -> list[SectionResult]:
    first = max(0, bisect_right(starts, start) - 1)
    return [section for section in sections[first : bisect_left(starts, end)] if section.span.end > start]
