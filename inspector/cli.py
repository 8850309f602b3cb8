"""The command line: `chunk` and `inspect` print JSON; results to standard output, messages to standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from inspector import __version__
from inspector.core.dialects import DIALECTS
from inspector.core.dialects.detect import detect_dialects
from inspector.core.document import Document, read_document
from inspector.core.options import CLEANABLE, OptionError, Options
from inspector.core.problems.rules import RULES
from inspector.core.strategies.headings import chunk_document
from inspector.corpus import find_dialects, is_draft, list_folder
from inspector.embedding.context import CONTEXTS
from inspector.embedding.measure import read_chunks
from inspector.embedding.tokens import TokenCounter
from inspector.errors import InspectorError
from inspector.export.records import chunk_records, document_record, meta_record
from inspector.settings import AUTO, NONE, STRATEGIES, Settings, chosen_dialects, load_settings, read_settings

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
Strategy = Annotated[str | None, typer.Option(help="headings.")]
Drop = Annotated[int | None, typer.Option(help="A section shorter than this is left out.")]
Fold = Annotated[int | None, typer.Option(help="A section shorter than this joins the one before it.")]
Cap = Annotated[int | None, typer.Option(help="No chunk is longer than this.")]
CodeLines = Annotated[int | None, typer.Option(help="Lines kept of a code block; 0 keeps all.")]
SplitLevels = Annotated[str | None, typer.Option(metavar="2,3", help="Heading levels that begin a section.")]
Stubs = Annotated[str | None, typer.Option(help="What happens to sections under drop: drop or fold.")]
FoldInto = Annotated[str | None, typer.Option(help="previous or related.")]
Addresses = Annotated[str | None, typer.Option(help="Remove addresses that stand alone (lone) or all (remove).")]
Clean = Annotated[str | None, typer.Option(metavar=",".join(CLEANABLE), help="What is cleaned; none for nothing.")]
Lang = Annotated[str | None, typer.Option(help="Whose sentence rules apply when a document does not say.")]
Dialect = Annotated[
    str | None,
    typer.Option(metavar="NAME,…", help=f"Site syntax to take out: {AUTO}, {NONE} or from {', '.join(DIALECTS)}."),
]
ContextOption = Annotated[str | None, typer.Option("--context", help=f"{', '.join(CONTEXTS)}.")]
ModelOption = Annotated[str | None, typer.Option("--model", help="The target model: a known name, or a folder.")]
TokenLimit = Annotated[int | None, typer.Option(help="Another token limit than the model's own.")]
Config = Annotated[str | None, typer.Option(help="A settings file, instead of the folder's chunk-inspector.toml.")]
Enable = Annotated[str | None, typer.Option(metavar="RULE,…", help="Rules of problems to apply too.")]
Disable = Annotated[str | None, typer.Option(metavar="RULE,…", help="Rules of problems to leave out.")]
Drafts = Annotated[bool | None, typer.Option("--drafts/--no-drafts", help="Count drafts.")]
Meta = Annotated[bool, typer.Option("--meta", help="Print version and settings in a first line.")]


class UsageError(Exception):
    """Wrong use or unreadable input: one line for standard error."""


@app.command("chunk", help="Print the chunks of markdown files, one a line.")
@app.command("inspect", help="Print what is known of each document, one a line: headings, removals, chunks, problems.")
def read_files(
    called: typer.Context,
    paths: Paths,
    format_: Format = "jsonl",
    strategy: Strategy = None,
    drop: Drop = None,
    fold: Fold = None,
    cap: Cap = None,
    code_lines: CodeLines = None,
    split_levels: SplitLevels = None,
    stubs: Stubs = None,
    fold_into: FoldInto = None,
    addresses: Addresses = None,
    clean: Clean = None,
    lang: Lang = None,
    dialect: Dialect = None,
    context: ContextOption = None,
    model: ModelOption = None,
    token_limit: TokenLimit = None,
    config: Config = None,
    drafts: Drafts = None,
    enable: Enable = None,
    disable: Disable = None,
    meta: Meta = False,
) -> None:
    """Read files and print their chunks, or all that is known of them: both commands take the same options."""
    _run(called.info_name or "", paths, format_, config, meta, locals())


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


def _run(command: str, paths: list[str], format_: str, config: str | None, meta: bool, given: dict[str, Any]) -> None:
    if format_ != "jsonl":
        raise UsageError(f"--format {format_}: only jsonl is known")
    settings = _settings(paths, config, given)
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
    for document, detected in _documents(paths, settings):
        if isinstance(document, str):
            _fail(document)
            failed = True
            continue
        chunking = chunk_document(document, settings.in_dialects(detected).options)
        readings = read_chunks(chunking, counter, settings.context)
        if command == "inspect":
            _print(document_record(chunking, readings, target, settings))
            continue
        if document.decoded.is_binary:
            _fail(f"{document.name} is binary, not text")
            failed = True
        for record in chunk_records(chunking, readings, target, settings.context):
            _print(record)
    return failed


def _print(record: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(record, ensure_ascii=True, separators=(", ", ": ")) + "\n")


def _settings(paths: list[str], config: str | None, given: dict[str, Any]) -> Settings:
    if config is not None:
        loaded = read_settings(Path(config))
        if loaded.path is None:
            raise UsageError(loaded.faults[0])
    else:
        folder = next((Path(path) for path in paths if Path(path).is_dir()), None)
        loaded = load_settings(folder)
    for fault in loaded.faults:
        print(f"chunk-inspector: {fault}", file=sys.stderr)
    settings = loaded.settings
    if given["strategy"] is not None and given["strategy"] not in STRATEGIES:
        raise UsageError(f"--strategy {given['strategy']}: choose from {', '.join(STRATEGIES)}")
    if given["context"] is not None and given["context"] not in CONTEXTS:
        raise UsageError(f"--context {given['context']}: choose from {', '.join(CONTEXTS)}")
    if given["dialect"] is not None:
        try:
            chosen_dialects(given["dialect"], frozenset())
        except OptionError as error:
            raise UsageError(f"--{error}") from None
    if given["token_limit"] is not None and given["token_limit"] < 8:
        raise UsageError("--token-limit must be at least 8")
    direct = {
        "strategy": given["strategy"],
        "context": given["context"],
        "target_model": given["model"],
        "token_limit": given["token_limit"],
        "dialect": given["dialect"],
    }
    settings = replace(settings, **{name: value for name, value in direct.items() if value is not None})
    if given["drafts"] is not None:
        settings = replace(settings, selection=replace(settings.selection, drafts=given["drafts"]))
    rules = settings.rules
    for code in _rules("enable", given):
        rules = rules.including(code)
    for code in _rules("disable", given):
        rules = rules.without(code)
    return replace(settings, options=_options(settings.options, given), rules=rules)


def _rules(name: str, given: dict[str, Any]) -> list[str]:
    codes = [word.strip() for word in (given[name] or "").split(",") if word.strip()]
    unknown = [code for code in codes if code not in RULES]
    if unknown:
        raise UsageError(f"--{name} {','.join(unknown)}: choose from {', '.join(RULES)}")
    return codes


def _options(options: Options, given: dict[str, Any]) -> Options:
    names = ("drop", "fold", "cap", "code_lines", "stubs", "fold_into", "addresses", "lang")
    changes = {name: given[name] for name in names if given[name] is not None}
    if given["clean"] is not None:
        words = [word.strip() for word in given["clean"].split(",") if word.strip()]
        changes["clean"] = frozenset(() if words == ["none"] else words)
    if given["split_levels"] is not None:
        try:
            changes["split_levels"] = frozenset(int(level) for level in given["split_levels"].split(","))
        except ValueError:
            raise UsageError(f"--split-levels {given['split_levels']}: name levels like 2,3") from None
    try:
        return replace(options, **changes)
    except OptionError as error:
        raise UsageError(f"--{str(error).replace('_', '-', 1)}") from None


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
