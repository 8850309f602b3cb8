"""Records as files: JSON lines, or CSV with one column a key."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def write_records(records: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write records as CSV where the path ends so, else as JSON lines. Raises OSError."""
    if path.suffix.lower() != ".csv":
        lines = (json.dumps(record, ensure_ascii=False) for record in records)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", errors="surrogatepass", newline="")
        return
    with path.open("w", encoding="utf-8-sig", errors="surrogatepass", newline="") as file:  # the mark is for Excel
        writer = csv.writer(file)
        keys = list(dict.fromkeys(key for record in records for key in record))
        writer.writerow(keys)
        for record in records:
            writer.writerow([_cell(record.get(key)) for key in keys])


def _cell(value: Any) -> str:
    """Give a value as one cell: lists and tables as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
