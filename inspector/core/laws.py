"""What always holds of a chunking: one function for tests, fuzzing and the tool."""

from __future__ import annotations

from collections.abc import Iterable

import regex

from inspector.core.chunk import OVERLAP, Chunk, Chunking, Rung
from inspector.core.outline import read_outline
from inspector.core.section import is_empty
from inspector.core.span import Span
from inspector.core.strategies.choices import Choices, External, Imported, Paragraphs, Semantic, Window
from inspector.core.strategies.flow import Flow, grapheme_starts, read_flow
from inspector.core.strategies.splitting import Measure, characters

_GRAPHEME = regex.compile(r"\X")


class LawBroken(AssertionError):
    """A law of chunking does not hold; the message names it."""


def check_chunking(chunking: Chunking, measure: Measure | None = None) -> None:
    """Check laws 1 to 4, 7 and 8 on a chunking, those that apply to its strategy. Raises LawBroken.

    With overlap a character is counted where it stands first: the spans of `Chunk.own` and what was removed cover the
    source once. Chunks that another program made have no cap and may be cut anywhere; only what is placed is checked.
    `measure` is the one that sizes in tokens were counted by; without it these are not counted again.
    """
    _check_sizes(chunking)
    _check_pieces(chunking)
    _check_ledger(chunking)
    if chunking.own is None:
        _check_cap(chunking)
        _check_nothing_dropped(chunking)
        _check_fences(chunking)
        _check_cuts(chunking)
    elif not isinstance(chunking.own, Imported | External):
        _check_flow(chunking, chunking.own, measure)
    numbers = [chunk.index for chunk in chunking.chunks]
    _require(numbers == list(range(len(numbers))), f"chunks are numbered {numbers}")


def _check_sizes(chunking: Chunking) -> None:
    for chunk in chunking.chunks:
        size = len(chunk.text)
        _require(size == chunk.characters, f"law 1: chunk {chunk.index} says {chunk.characters}, has {size}")
        _require(not is_empty(chunk.text), f"chunk {chunk.index} is empty")


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise LawBroken(message)


def _check_cap(chunking: Chunking) -> None:
    for chunk in chunking.chunks:
        size = len(chunk.text)
        _require(size <= chunking.options.cap, f"law 1: chunk {chunk.index} has {size} characters")


def _check_pieces(chunking: Chunking) -> None:
    source = chunking.document.source
    is_imported = isinstance(chunking.own, Imported | External)
    at = 0
    for chunk in chunking.chunks:
        shared_at = 0
        for piece in chunk.pieces:
            if piece.span is None:
                _require(bool(piece.why), f"chunk {chunk.index}: a synthetic piece without a reason")
                continue
            slice_ = source[piece.span.start : piece.span.end]
            normal = slice_.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
            _require(normal == piece.text, f"law 2: chunk {chunk.index} {piece.span}: {piece.text[:40]!r}")
            _require(piece.span.end > piece.span.start, f"law 3: chunk {chunk.index} has an empty span")
            _require(piece.span.start >= shared_at, f"law 3: chunk {chunk.index} {piece.span} is out of order")
            shared_at = piece.span.end
            if piece.why == OVERLAP or is_imported:
                continue
            _require(piece.span.start >= at, f"law 3: chunk {chunk.index} {piece.span} begins before {at}")
            at = piece.span.end


def _check_ledger(chunking: Chunking) -> None:
    source = chunking.document.source
    if isinstance(chunking.own, Imported | External):
        account = [(span, "") for span in _united(span for chunk in chunking.chunks for span in chunk.spans)]
    else:  # what chunks share is counted once: where it stands first
        account = [(span, "") for chunk in chunking.chunks for span in chunk.own]
        held_once = _united(span for chunk in chunking.chunks for span in chunk.own)
        held_all = _united(span for chunk in chunking.chunks for span in chunk.spans)
        _require(held_once == held_all, "law 4: a chunk shares what none before it holds")
    account += [(removed.span, removed.reason) for removed in chunking.removed]
    at = 0
    for span, reason in sorted(account):
        _require(span.start == at, f"law 4: {span} {reason!r} does not begin at {at}")
        at = span.end
        if reason == "whitespace":
            text = source[span.start : span.end]
            _require(not text.strip(), f"law 4: {text[:40]!r} is no white space")
    _require(at == len(source), f"law 4: the account ends at {at} of {len(source)}")
    held = sum(span.length for span, reason in account if not reason)
    _require(held == chunking.kept, f"law 4: kept is {chunking.kept}, chunks hold {held}")


def _united(spans: Iterable[Span]) -> list[Span]:
    """Return the stretches that spans cover together, in order."""
    united: list[Span] = []
    for span in sorted(spans):
        if united and span.start <= united[-1].end:
            united[-1] = Span(united[-1].start, max(united[-1].end, span.end))
        else:
            united.append(span)
    return united


def _check_flow(chunking: Chunking, own: Choices, measure: Measure | None) -> None:
    """Laws 1 and 8 of the strategies that cut the document's text in one run."""
    flow = read_flow(chunking.document, chunking.options, own.is_cleaned)
    unit = getattr(own, "unit", "characters")
    counted = characters if unit == "characters" else measure
    size = getattr(own, "size", getattr(own, "cap", None))
    for chunk in chunking.chunks:
        if size is not None and counted is not None:
            starts = counted(chunk.text)
            if isinstance(own, Window):
                starts = grapheme_starts(chunk.text, starts)
            _require(len(starts) <= size, f"law 1: chunk {chunk.index} has {len(starts)} {unit}")
        for offset in _edges(flow, chunk):
            near = flow.text[max(0, offset - 64) : offset + 64]
            middle = min(offset, 64)
            if 0 < offset < len(flow.text) and len(_grapheme_at(near, middle)) <= (size or len(near)) // 2:
                cuts = {0, *(match.end() for match in _GRAPHEME.finditer(near))}
                _require(middle in cuts, f"law 8: chunk {chunk.index} is cut inside a grapheme: {near!r}")
    if isinstance(own, Paragraphs | Semantic):
        _check_fences(chunking)


def _edges(flow: Flow, chunk: Chunk) -> tuple[int, int]:
    """Where a chunk's verbatim text begins and ends in the flow."""
    line_map = flow.document.line_map
    return flow.place(line_map.position(chunk.span.start)), flow.place(line_map.position(chunk.span.end - 1)) + 1


def _check_nothing_dropped(chunking: Chunking) -> None:
    source = chunking.document.source
    if chunking.options.drop == 0:
        for removed in chunking.removed:
            if removed.reason == "dropped":
                text = source[removed.span.start : removed.span.end]
                _require(is_empty(text), f"law 7: {text[:40]!r} was dropped at drop = 0")
    if chunking.options.fold == 0:
        _require(not any(chunk.folded for chunk in chunking.chunks), "law 7: folded at fold = 0")


def _check_fences(chunking: Chunking) -> None:
    """Law 8: a fence is cut between lines or below."""
    document = chunking.document
    for fence in document.fences:
        text = document.source[fence.span.start : fence.span.end]
        opening = fence.span.start + len(text) - len(text.lstrip(" \t>"))
        for chunk in chunking.chunks:
            start = chunk.span.start
            if opening < start < fence.span.end:
                fine = chunk.starts_at in (Rung.LINE, Rung.WORD, Rung.CHARACTER)
                _require(fine, f"law 8: chunk {chunk.index} cuts a fence at {chunk.starts_at}")


def _check_cuts(chunking: Chunking) -> None:
    """Law 8 where a cut could break it: between two chunks whose texts touch in what is kept."""
    document = chunking.document
    for before, chunk in zip(chunking.chunks, chunking.chunks[1:], strict=False):
        end, start = before.span.end, chunk.own[0].start
        for offset in (end, start):
            inside_pair = document.source[offset - 1 : offset + 1] == "\r\n"
            _require(not inside_pair, f"law 8: a cut inside a CRLF at {offset}")
        left = _last_verbatim(before.pieces)[-64:]
        right = _first_verbatim(chunk.pieces)[:64]
        if before.section != chunk.section and chunk.starts_at in (Rung.SECTION, Rung.DOCUMENT):
            continue
        kept = "".join(_kept_between(chunking, end, start))
        whole = left + kept + right
        cuts = {match.end() for match in _GRAPHEME.finditer(whole)}
        if len(_grapheme_at(whole, len(left))) > chunking.options.cap // 2:
            continue
        _require(len(left) in cuts, f"law 8: chunk {before.index} ends inside a grapheme: {whole!r}")
        _require(len(left + kept) in cuts, f"law 8: chunk {chunk.index} begins inside a grapheme: {whole!r}")


def _kept_between(chunking: Chunking, start: int, end: int) -> list[str]:
    """What cleaning kept between two chunks and was given up at the cut."""
    document = chunking.document
    text = document.line_map.text
    at, stop = document.line_map.position(start), document.line_map.position(end)
    kept = []
    for removal in read_outline(document, chunking.options).cleaned.removals:
        if removal.end <= at or removal.start >= stop:
            continue
        kept.append(text[at : removal.start])
        at = removal.end
    kept.append(text[at:stop])
    return kept


def _grapheme_at(text: str, offset: int) -> str:
    for match in _GRAPHEME.finditer(text):
        if match.start() < offset < match.end():
            return str(match.group())
    return ""


def _last_verbatim(pieces: tuple[object, ...]) -> str:
    return next((p.text for p in reversed(pieces) if p.span is not None), "")  # type: ignore[attr-defined]


def _first_verbatim(pieces: tuple[object, ...]) -> str:
    return next((p.text for p in pieces if p.span is not None and p.why != OVERLAP), "")  # type: ignore[attr-defined]
