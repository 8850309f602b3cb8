"""The folder's numbers: added up once, so that every place in the window shows the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from inspector.reading import ReadDocument

SUMMED = ("chunks", "characters", "code", "kept", "dropped", "folded", "split", "truncated", "unread_tokens")


@dataclass(frozen=True, slots=True)
class FolderTotals:
    """Sums over all documents that count; `removed` maps reasons to characters."""

    documents: int = 0
    chunks: int = 0
    characters: int = 0
    code: int = 0
    kept: int = 0
    dropped: int = 0
    folded: int = 0
    split: int = 0
    truncated: int = 0
    unread_tokens: int = 0
    removed: dict[str, int] = field(default_factory=dict)


def add_up(documents: Iterable[ReadDocument]) -> FolderTotals:
    """Add documents up."""
    sums = dict.fromkeys(SUMMED, 0)
    removed: dict[str, int] = {}
    count = 0
    for document in documents:
        count += 1
        for name in SUMMED:
            sums[name] += getattr(document.totals, name)
        for reason, characters in document.totals.removed:
            removed[reason] = removed.get(reason, 0) + characters
    return FolderTotals(count, **sums, removed=removed)


def add_documents(before: FolderTotals, gone: Iterable[ReadDocument], new: Iterable[ReadDocument]) -> FolderTotals:
    """Return totals after documents were replaced, without adding all up again."""
    minus, plus = add_up(gone), add_up(new)
    removed = dict(before.removed)
    for sign, part in ((-1, minus), (1, plus)):
        for reason, characters in part.removed.items():
            removed[reason] = removed.get(reason, 0) + sign * characters
    sums = {name: getattr(before, name) - getattr(minus, name) + getattr(plus, name) for name in ("documents", *SUMMED)}
    return FolderTotals(**sums, removed={reason: count for reason, count in removed.items() if count})
