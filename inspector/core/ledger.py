"""The account of every source character: in a chunk, or removed for one reason."""

from __future__ import annotations

from bisect import bisect_right

from inspector.core.chunk import Chunking, Fate, Removed
from inspector.core.outline import read_outline
from inspector.core.span import Span
from inspector.core.text import BOM

NOT_IN_ANY_CHUNK = "not in any chunk"
"""Why text is lost that the chunks of another program do not hold."""


def read_ledger(chunking: Chunking, first: int = 0, last: int | None = None) -> tuple[Removed, ...]:
    """Return what of the source from offset `first` to `last` is in no chunk, in source order and disjoint."""
    document = chunking.document
    cleaned = _cleaned(chunking)
    last = document.characters if last is None else last
    left = NOT_IN_ANY_CHUNK if chunking.strategy == "imported" else "dropped"
    held = sorted(span for chunk in chunking.chunks for span in chunk.spans if span.start < last and span.end > first)
    dropped = (
        [section.span for section in chunking.sections if section.fate is Fate.DROPPED] if left == "dropped" else []
    )
    found: list[Removed] = []
    at = first
    cleaned_index = bisect_right(cleaned, first, key=lambda removed: removed.span.end)
    dropped_index = 0

    def give(start: int, end: int) -> None:
        """Account for `[start, end)`, which no chunk and no cleaning holds."""
        nonlocal dropped_index
        while start < end:
            while dropped_index < len(dropped) and dropped[dropped_index].end <= start:
                dropped_index += 1
            stop, reason = end, ""
            if dropped_index < len(dropped):
                if dropped[dropped_index].start <= start:
                    stop, reason = min(end, dropped[dropped_index].end), "dropped"
                else:
                    stop = min(end, dropped[dropped_index].start)
            if not reason:
                is_white = not document.source[start:stop].strip()
                reason = "whitespace" if is_white else left  # of `headings`: invisible characters at a cut
            _add(found, Removed(Span(start, stop), reason))
            start = stop

    for span in [*held, Span(last, last)]:
        while at < span.start:
            while cleaned_index < len(cleaned) and cleaned[cleaned_index].span.end <= at:
                cleaned_index += 1
            if cleaned_index == len(cleaned) or cleaned[cleaned_index].span.start >= span.start:
                give(at, span.start)
                at = span.start
                continue
            removal = cleaned[cleaned_index]
            if removal.span.start > at:
                give(at, removal.span.start)
            end = min(removal.span.end, last)
            _add(found, Removed(Span(max(at, removal.span.start), end), removal.reason))
            at = end
        at = max(at, span.end)
    return tuple(found)


def _cleaned(chunking: Chunking) -> list[Removed]:
    """What cleaning removed; of a text that was not cleaned a byte order mark."""
    document = chunking.document
    if chunking.is_cleaned:
        return read_outline(document, chunking.options).removed_in(document)
    return [Removed(Span(0, 1), "bom")] if document.source.startswith(BOM) else []


def _add(found: list[Removed], removed: Removed) -> None:
    if found and found[-1].reason == removed.reason and found[-1].span.end == removed.span.start:
        found[-1] = Removed(Span(found[-1].span.start, removed.span.end), removed.reason)
    else:
        found.append(removed)
