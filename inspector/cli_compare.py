"""The command `compare`: two strategies' metrics in a table or as JSON, or what changed since the last run."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inspector.cli_options import (
    Config,
    ContextOption,
    Dialect,
    Drafts,
    General,
    ModelOption,
    TokenLimit,
    UsageError,
    option_parameters,
    read_general,
    with_options,
)
from inspector.compare.boundaries import Agreement
from inspector.compare.changes import Fate
from inspector.compare.metrics import LESS, metric_labels
from inspector.core.strategies.choices import Imported
from inspector.core.strategies.placing import ImportReport, nowhere
from inspector.foreign import unclaimed
from inspector.plugins import all_strategies
from inspector.settings import Settings, described

if TYPE_CHECKING:
    from inspector.comparison import CompareResult, SinceLastRun

WAYS = "A strategy with its options, as in 'window size=500 overlap=50'."
SHOWN = 20
"""Foreign chunks without a place that the table lists; JSON lists all."""

Folder = Annotated[str, typer.Argument(metavar="FOLDER", help="A folder of markdown.")]
Left = Annotated[str | None, typer.Option("--a", metavar="STRATEGY", help=f"{WAYS} Default: the folder's settings.")]
Right = Annotated[str | None, typer.Option("--b", metavar="STRATEGY", help=WAYS)]
Last = Annotated[bool, typer.Option("--last", help="Compare with the last run of --last instead, and keep this one.")]
Format = Annotated[str, typer.Option("--format", metavar="table|json", help="A table to read, or JSON.")]


def compare(
    folder: Folder,
    left: Left = None,
    right: Right = None,
    last: Last = False,
    format_: Format = "table",
    dialect: Dialect = None,
    context: ContextOption = None,
    model: ModelOption = None,
    token_limit: TokenLimit = None,
    config: Config = None,
    drafts: Drafts = None,
) -> None:
    """Print the metrics of two strategies on a folder, or what changed since the last run."""
    from inspector.comparison import CompareRequest, run_changes_since, run_compare  # loads numpy

    if format_ not in ("table", "json"):
        raise UsageError(f"--format {format_}: choose table or json")
    general = General(dialect=dialect, context=context, model=model, token_limit=token_limit, drafts=drafts)
    settings = read_general([folder], config, general)
    first = chosen(settings, left, "--a")
    if last:
        if right is not None:
            raise UsageError("--last compares with the last run: leave --b out")
        since = run_changes_since(folder, first)
        print(json.dumps(asdict(since)) if format_ == "json" else "\n".join(changes_table(since)))
        return
    if right is None:
        raise UsageError("--b: name a strategy to compare with, or --last")
    second = chosen(settings, right, "--b")
    result = run_compare(CompareRequest(folder, first, second))
    if format_ == "json":
        print(json.dumps(compare_record(result, first, second)))
    else:
        print("\n".join(metrics_table(result, first, second)))


def chosen(settings: Settings, words: str | None, option: str) -> Settings:
    """Return settings with the strategy that `NAME key=value …` says. Raises UsageError."""
    if words is None:
        return settings
    try:
        name, *pairs = shlex.split(words)
    except ValueError as error:
        raise UsageError(f"{option} {words!r}: {str(error).lower()}") from None
    if name not in all_strategies():
        raise UsageError(f"{option} {name}: choose from {', '.join(all_strategies())}")
    kind = all_strategies()[name].options
    settings = settings.choosing(kind() if kind is not None else None)
    given = dict(_pair(pair, option) for pair in pairs)
    return with_options(settings, given, option + " {}")


def _pair(pair: str, option: str) -> tuple[str, Any]:
    """Read `key=value` as the option's own kind. Raises UsageError."""
    key, equals, value = pair.partition("=")
    key = key.lstrip("-").replace("-", "_")
    kinds = {parameter.name: parameter.annotation for parameter in option_parameters()}
    if not equals or key not in kinds:
        raise UsageError(f"{option} {pair}: write NAME=VALUE with a strategy's option")
    kind = kinds[key].__origin__
    if kind == bool | None:
        if value.lower() not in ("true", "false", "yes", "no"):
            raise UsageError(f"{option} {pair}: write true or false")
        return key, value.lower() in ("true", "yes")
    if kind == int | None:
        try:
            return key, int(value)
        except ValueError:
            raise UsageError(f"{option} {pair}: {value!r} is not a whole number") from None
    return key, value


def compare_record(result: CompareResult, left: Settings, right: Settings) -> dict[str, Any]:
    """The comparison as JSON: stable keys, more may come."""
    return {
        "a": {"strategy": described(left), **asdict(result.left)},
        "b": {"strategy": described(right), **asdict(result.right)},
        "agreement": _agreement(result.agreement),
        "unplaced": [asdict(chunk) for chunk in nowhere(_reports(result))],
        "documents": [
            {
                "document": entry.name,
                "a": {"chunks": len(entry.left.sizes), "unread_tokens": entry.left.unread_tokens},
                "b": {"chunks": len(entry.right.sizes), "unread_tokens": entry.right.unread_tokens},
                "agreement": _agreement(entry.agreement),
            }
            for entry in result.documents
        ],
    }


def _agreement(found: Agreement) -> dict[str, Any]:
    return {
        "both": found.both,
        "a": found.left,
        "b": found.right,
        "f1": round(found.f1, 4),
        "window_diff": round(found.window_diff, 4),
    }


def metrics_table(result: CompareResult, left: Settings, right: Settings) -> list[str]:
    """The table's lines: metric, A, B, B less A, and which way is good."""
    rows = [("", "A", "B", "B - A", "")]
    for name, about in metric_labels().items():
        a, b = getattr(result.left, name), getattr(result.right, name)
        unit = about["unit"]
        label = about["label"] + (f" ({unit})" if unit == "characters" else "")
        better = "" if a == b or about["good"] != LESS else "A is better" if a < b else "B is better"
        rows.append((label, _shown(a, unit), _shown(b, unit), _shown(b - a, unit, "+"), better))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines = [f"A  {described(left)}", f"B  {described(right)}", ""]
    lines += [
        "  ".join((row[0].ljust(widths[0]), *(row[n].rjust(widths[n]) for n in (1, 2, 3)), row[4])).rstrip()
        for row in rows
    ]
    found = result.agreement
    lines += [
        "",
        f"Boundaries: {found.both:,} in both of {found.left:,} and {found.right:,}; F1 {found.f1:.2f}, "
        f"WindowDiff {found.window_diff:.2f} (Pevzner and Hearst 2002).",
    ]
    names = [entry.name for entry in result.documents]
    said = [*import_messages(left, names, _reports(result)), *import_messages(right, names, [])]
    return [*lines, "", *said] if said else lines


def _reports(result: CompareResult) -> list[ImportReport]:
    return [report for entry in result.documents for report in entry.reports]


def import_messages(settings: Settings, names: Sequence[str], reports: Sequence[ImportReport]) -> list[str]:
    """Say which chunks of another program have no place, and which name documents that are not here."""
    lost = nowhere(reports)
    lines = [f"Chunks without a place: {len(lost):,}"] if lost else []
    lines += [f"  #{entry.number}: {entry.reason}: {' '.join(entry.text.split())[:60]!r}" for entry in lost[:SHOWN]]
    if len(lost) > SHOWN:
        lines.append(f"  and {len(lost) - SHOWN:,} more: --format json and `inspect` list all.")
    if isinstance(settings.own, Imported):
        lines += [
            f"Chunks of {name}, which is not here: {count:,}"
            for name, count in unclaimed(settings.own.chunks, names)[:SHOWN]
        ]
    return lines


def _shown(value: float, unit: str, sign: str = "") -> str:
    if unit == "share":
        return f"{value * 100:{sign}.1f} %"
    if unit == "seconds":
        return f"{value:{sign}.2f}"
    return f"{value:{sign},}"


def changes_table(since: SinceLastRun) -> list[str]:
    """What changed since the last run, a line a chunk that is not the same."""
    if since.before is None:
        return [f"This run of {since.now} is kept: the next one is compared with it."]
    lines = []
    if since.before != since.now:
        lines.append(f"Chunked by {since.now}, last time by {since.before}.")
    for document in since.changed:
        counts = {fate: sum(change.fate is fate for change in document.changes) for fate in Fate}
        told = ", ".join(f"{count:,} {fate}" for fate, count in counts.items() if count)
        lines.append(f"{document.name}: {told or 'no chunks'}{' (a new document)' if document.is_new else ''}")
        lines += [
            f"  {change.fate:<5} {_numbers(change.before, change.after)}  {change.words}"
            for change in document.changes
            if change.fate is not Fate.SAME
        ]
    lines += [f"{name}: gone" for name in since.gone]
    lines.append(f"{since.same:,} documents the same.")
    return lines


def _numbers(before: int | None, after: int | None) -> str:
    numbers = [f"#{number + 1}" for number in (before, after) if number is not None]
    return " -> ".join(numbers)
