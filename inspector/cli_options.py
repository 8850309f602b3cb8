"""The options of strategies on the command line: made from the metadata of their fields, put into settings."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, fields, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from inspector.core.dialects import DIALECTS
from inspector.core.options import OptionError, Options
from inspector.core.problems.rules import RULES
from inspector.core.strategies.choices import Choices
from inspector.embedding.context import CONTEXTS
from inspector.plugins import all_strategies
from inspector.settings import AUTO, NONE, Settings, chosen_dialects, load_settings, read_settings

Strategy = Annotated[str | None, typer.Option(help=f"{', '.join(all_strategies())}.")]
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

_FOR_ALL = frozenset({"code_lines", "split_levels", "addresses", "clean", "lang"})
"""Options of `headings` that say what is cleaned and what a section is, whatever the strategy."""

_LEFT_OUT = frozenset({"dialects"})  # chosen by --dialect


class UsageError(Exception):
    """Wrong use or unreadable input: one line for standard error."""


class General(NamedTuple):
    """The options of a command that are no strategy's own; None where not given."""

    strategy: str | None = None
    dialect: str | None = None
    context: str | None = None
    model: str | None = None
    token_limit: int | None = None
    drafts: bool | None = None
    enable: str | None = None
    disable: str | None = None


def read_general(paths: list[str], config: str | None, given: General) -> Settings:
    """Return the settings of a file, else of the first folder named, with the general options. Raises UsageError."""
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
    if given.strategy is not None and given.strategy not in all_strategies():
        raise UsageError(f"--strategy {given.strategy}: choose from {', '.join(all_strategies())}")
    if given.context is not None and given.context not in CONTEXTS:
        raise UsageError(f"--context {given.context}: choose from {', '.join(CONTEXTS)}")
    if given.dialect is not None:
        try:
            chosen_dialects(given.dialect, frozenset())
        except OptionError as error:
            raise UsageError(f"--{error}") from None
    if given.token_limit is not None and given.token_limit < 8:
        raise UsageError("--token-limit must be at least 8")
    direct: dict[str, Any] = {
        "strategy": given.strategy,
        "context": given.context,
        "target_model": given.model,
        "token_limit": given.token_limit,
        "dialect": given.dialect,
    }
    settings = replace(settings, **{name: value for name, value in direct.items() if value is not None})
    if given.drafts is not None:
        settings = replace(settings, selection=replace(settings.selection, drafts=given.drafts))
    rules = settings.rules
    for code in _rules("enable", given.enable):
        rules = rules.including(code)
    for code in _rules("disable", given.disable):
        rules = rules.without(code)
    return replace(settings, rules=rules)


def _rules(name: str, given: str | None) -> list[str]:
    codes = [word.strip() for word in (given or "").split(",") if word.strip()]
    unknown = [code for code in codes if code not in RULES]
    if unknown:
        raise UsageError(f"--{name} {','.join(unknown)}: choose from {', '.join(RULES)}")
    return codes


def _all_fields() -> Iterator[tuple[str, Field[Any]]]:
    for option in fields(Options):
        if option.name not in _LEFT_OUT:
            yield "headings", option
    for name, strategy in all_strategies().items():
        if strategy.options is not None:
            for option in fields(strategy.options):
                yield name, option


def option_parameters() -> list[inspect.Parameter]:
    """Return a parameter for each option of any strategy; one that several have is one parameter."""
    owners: dict[str, list[str]] = {}
    first: dict[str, Field[Any]] = {}
    for owner, option in _all_fields():
        owners.setdefault(option.name, []).append(owner)
        first.setdefault(option.name, option)
    return [_parameter(option, owners[name]) for name, option in first.items()]


def _parameter(option: Field[Any], owners: list[str]) -> inspect.Parameter:
    default, metadata = option.default, option.metadata
    whose = "" if option.name in _FOR_ALL else f" ({', '.join(owners)})"
    help_text = metadata["help"] + whose
    dashed = option.name.replace("_", "-")
    if isinstance(default, bool):
        info = typer.Option(f"--{dashed}/--no-{dashed}", help=help_text)
        kind: Any = bool | None
    elif isinstance(default, int):
        info, kind = typer.Option(f"--{dashed}", help=help_text), int | None
    else:
        choices = metadata.get("choices")
        shown = None if choices is None else ("|" if isinstance(default, str) else ",").join(map(str, choices))
        info, kind = typer.Option(f"--{dashed}", help=help_text, metavar=shown), str | None
    annotation = Annotated[kind, info]
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def takes_options(function: Callable[..., None]) -> Callable[..., None]:
    """Let a command whose last parameter is `**given` take every option of every strategy."""
    signature = inspect.signature(function, eval_str=True)
    own = [entry for entry in signature.parameters.values() if entry.kind is not inspect.Parameter.VAR_KEYWORD]
    function.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[entry.replace(kind=inspect.Parameter.KEYWORD_ONLY) for entry in own] + option_parameters()
    )
    return function


def with_options(settings: Settings, given: Mapping[str, Any], shown: str = "--{}") -> Settings:
    """Return settings with the options given for the chosen strategy; `shown` is how one is written in messages.

    Raises UsageError for a value that makes no sense, or an option that the strategy has not.
    """
    own = settings.own
    known = {option.name for option in fields(own)} if own is not None else set()
    for_all, for_own = {}, {}
    for name, value in given.items():
        if value is None:
            continue
        if own is not None and name in known:
            for_own[name] = value
        elif name in _FOR_ALL or (own is None and name in {option.name for option in fields(Options)}):
            for_all[name] = value
        else:
            written = shown.format(name.replace("_", "-"))
            raise UsageError(f"{written}: {settings.strategy} has no such option")
    try:
        settings = replace(settings, options=replace(settings.options, **_parsed(settings.options, for_all, shown)))
        if own is not None:
            own = replace(own, **_parsed(own, for_own, shown))
    except OptionError as error:
        written = shown.format(error.field.replace("_", "-"))
        raise UsageError(f"{written}: {str(error).partition(': ')[2]}") from None
    return settings.choosing(own)


def _parsed(options: Options | Choices, given: Mapping[str, Any], shown: str) -> dict[str, Any]:
    """Turn words with commas into what the fields hold."""
    parsed: dict[str, Any] = {}
    for name, value in given.items():
        held = getattr(options, name)
        if not isinstance(value, str) or isinstance(held, str):
            parsed[name] = value
            continue
        words = [word.strip() for word in value.split(",") if word.strip()]
        if isinstance(held, tuple):
            parsed[name] = tuple(words)
        elif name == "split_levels":
            try:
                parsed[name] = frozenset(int(word) for word in words)
            except ValueError:
                raise UsageError(f"{shown.format('split-levels')} {value}: name levels like 2,3") from None
        else:
            parsed[name] = frozenset(() if words == ["none"] else words)
    return parsed
