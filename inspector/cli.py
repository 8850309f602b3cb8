"""The command line: `chunk` and `inspect` print JSON; results to standard output, messages to standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from inspector import __version__
from inspector.chunking import chunk_by
from inspector.cli_cache import cache
from inspector.cli_compare import compare, import_messages
from inspector.cli_options import (
    Config,
    ContextOption,
    Dialect,
    Disable,
    Drafts,
    Enable,
    General,
    ModelOption,
    Strategy,
    TokenLimit,
    UsageError,
    read_general,
    takes_options,
    with_options,
)
from inspector.core.dialects.detect import detect_dialects
from inspector.core.document import Document, read_document
from inspector.core.strategies.placing import ImportReport
from inspector.corpus import find_dialects, is_draft, list_folder
from inspector.embedding.measure import read_chunks
from inspector.embedding.tokens import TokenCounter
from inspector.errors import InspectorError
from inspector.export.records import chunk_records, document_record, meta_record
from inspector.settings import AUTO, Settings

STANDARD_INPUT = "-"

app = typer.Typer(
    name="chunk-inspector",
    add_completion=False,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="See how markdown will be chunked and what an embedding model reads of it. "
    "Without a command, a folder or file opens in the window.",
)

Paths = Annotated[list[str], typer.Argument(metavar="PATH…", help="Files and folders; - reads standard input.")]
Format = Annotated[str, typer.Option("--format", help="jsonl: one record a line.")]
Meta = Annotated[bool, typer.Option("--meta", help="Print version and settings in a first line.")]


@app.command("chunk", help="Print the chunks of markdown files, one a line.")
@app.command("inspect", help="Print what is known of each document, one a line: headings, removals, chunks, problems.")
@takes_options
def read_files(
    called: typer.Context,
    paths: Paths,
    format_: Format = "jsonl",
    strategy: Strategy = None,
    dialect: Dialect = None,
    context: ContextOption = None,
    model: ModelOption = None,
    token_limit: TokenLimit = None,
    config: Config = None,
    drafts: Drafts = None,
    enable: Enable = None,
    disable: Disable = None,
    meta: Meta = False,
    **given: Any,
) -> None:
    """Read files and print their chunks, or all that is known of them: both commands take the same options."""
    if format_ != "jsonl":
        raise UsageError(f"--format {format_}: only jsonl is known")
    settings = read_general(
        paths, config, General(strategy, dialect, context, model, token_limit, drafts, enable, disable)
    )
    _run(called.info_name or "", paths, with_options(settings, given), meta)


app.command("compare", help="Chunk a folder in two ways and print what each makes of it, or what changed since.")(
    compare
)
app.command("cache", help="Print where the cache is and how large; --clear deletes it.")(cache)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False
) -> None:
    if version:
        print(f"chunk-inspector {__version__}")
        raise typer.Exit


def run(arguments: Sequence[str]) -> int:
    """Run a command; returns 0 done, 2 wrong use or unreadable input."""
    try:
        result = app(list(arguments), standalone_mode=False)
    except UsageError as error:
        return _fail(str(error))
    except InspectorError as error:
        return _fail(error.message)
    except typer.Exit as error:
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if hasattr(error, "format_message"):  # click's usage errors
            return _fail(error.format_message())
        raise
    return result if isinstance(result, int) else 0


def _fail(message: str) -> int:
    print(f"chunk-inspector: {message}", file=sys.stderr)
    return 2


def _run(command: str, paths: list[str], settings: Settings, meta: bool) -> None:
    counter = TokenCounter(settings.target())
    try:
        failed = _print_all(command, paths, settings, counter, meta)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has left; caught here, as click would make an error of it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        failed = False
    if failed:
        raise typer.Exit(2)


def _print_all(command: str, paths: list[str], settings: Settings, counter: TokenCounter, meta: bool) -> bool:
    """Print the records of all documents; returns whether something could not be read."""
    target = counter.model
    if meta:
        _print(meta_record(settings, target))
    failed = False
    names: list[str] = []
    reports: list[ImportReport] = []
    for document, detected in _documents(paths, settings):
        if isinstance(document, str):
            _fail(document)
            failed = True
            continue
        chunking = chunk_by(document, settings.in_dialects(detected), counter, partial(_distances, settings))
        names.append(document.name)
        if isinstance(chunking.evidence, ImportReport):
            reports.append(chunking.evidence)
        readings = read_chunks(chunking, counter, settings.context)
        if command == "inspect":
            _print(document_record(chunking, readings, target, settings))
            continue
        if document.decoded.is_binary:
            _fail(f"{document.name} is binary, not text")
            failed = True
        for record in chunk_records(chunking, readings, target, settings.context):
            _print(record)
    for message in import_messages(settings, names, reports):
        _fail(message)
    return failed


def _distances(settings: Settings, sentences: Sequence[str]) -> Sequence[float]:
    from inspector.reading import sentence_distances  # loads numpy, and the model where a sentence is new

    return sentence_distances(settings, sentences)


def _print(record: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(record, ensure_ascii=True, separators=(", ", ": ")) + "\n")


def _documents(paths: list[str], settings: Settings) -> Iterator[tuple[Document | str, frozenset[str]]]:
    """Yield the documents below the paths, each with the dialects detected: in its folder, of a file or standard
    input in its own text; a message for what cannot be read."""
    for given in paths:
        if given == STANDARD_INPUT:
            yield _alone(read_document("-", sys.stdin.buffer.read()), settings)
            continue
        path = Path(given)
        if path.is_dir():
            listing = list_folder(path, settings.selection)
            detected = find_dialects(listing) if settings.dialect == AUTO else frozenset()
            if not listing.names:
                yield f"{given} holds no markdown", detected
            for name in listing.names:
                document = _read(path / name, name)
                if isinstance(document, str) or settings.selection.drafts or not is_draft(document):
                    yield document, detected
        elif path.exists():
            yield _alone(_read(path, path.name), settings)
        else:
            yield f"{given}: no such file or folder", frozenset()


def _alone(document: Document | str, settings: Settings) -> tuple[Document | str, frozenset[str]]:
    if isinstance(document, str) or settings.dialect != AUTO:
        return document, frozenset()
    return document, detect_dialects((), [document.source])


def _read(path: Path, name: str) -> Document | str:
    try:
        return read_document(name, path.read_bytes())
    except OSError as error:
        return f"{path}: {(error.strerror or str(error)).lower()}"
