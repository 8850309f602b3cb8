"""The author's settings: thresholds, cleaning, models, which files count; read from and saved to TOML."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import ParseError, TOMLKitError

from inspector.core.dialects import DIALECTS
from inspector.core.options import OptionError, Options
from inspector.core.problems.rules import RULES, RuleChoice
from inspector.core.strategies.choices import Choices
from inspector.core.strategies.registry import HEADINGS
from inspector.corpus import Selection
from inspector.embedding.context import CONTEXTS, Context
from inspector.embedding.models import (
    ANY_ENGINE,
    BUNDLED,
    DEFAULT_TARGET,
    ENGINE_CHOICES,
    SMALLEST_LIMIT,
    EngineChoice,
    Model,
    find_model,
    other_model,
)
from inspector.embedding.projection import USUAL_FIT, MapFit
from inspector.errors import InspectorError, SettingsError
from inspector.files import write_atomically
from inspector.folders import config_folder
from inspector.plugins import all_strategies

FILE_NAME = "chunk-inspector.toml"
MOST_NEIGHBOURS = 200
AUTO, NONE = "auto", "none"
"""Ways to choose the dialect but by name: as the folder shows, and not at all."""

_TABLE = "headings"
_THRESHOLDS = ("drop", "fold", "cap")
_NOT_SAVED = frozenset({"dialects"})  # follows from `dialect` and the folder

BLOG = Options()
DOCS = Options(code_lines=0)
FINE = Options(drop=40, fold=160, cap=700)
COARSE = Options(drop=80, fold=480, cap=2_000)
PRESETS: Mapping[str, Options] = {"Blog": BLOG, "Docs": DOCS, "Fine": FINE, "Coarse": COARSE}
"""Named options: Docs keeps all code, for documentation of which the code is the point; Fine makes about twice as many
chunks as Blog, for models that read 256 tokens; Coarse about two thirds, for those that read 512 or more.
"""


@dataclass(frozen=True, slots=True)
class Settings:
    """All that decides what a folder's chunks are and how they are read; `token_limit` 0 is the model's own.

    `dialect` is `auto`, `none` or names with commas; `options.dialects` is what that means in one folder. `others`
    holds the options of each strategy beside `headings` that was ever set, chosen or not.
    """

    options: Options = field(default_factory=Options)
    strategy: str = HEADINGS
    context: Context = "title"
    target_model: str = DEFAULT_TARGET
    token_limit: int = 0
    map_model: str = BUNDLED
    selection: Selection = field(default_factory=Selection)
    dialect: str = AUTO
    engine: EngineChoice = ANY_ENGINE
    rules: RuleChoice = field(default_factory=RuleChoice)
    map_fit: MapFit = USUAL_FIT
    others: tuple[Choices, ...] = ()

    @property
    def own(self) -> Choices | None:
        """The options of the chosen strategy, None for `headings`, whose are `options`."""
        return self.options_of(self.strategy)

    def options_of(self, strategy: str) -> Choices | None:
        """Return a strategy's options as set, else its defaults; None for `headings`."""
        made = next((own for own in self.others if own.strategy == strategy), None)
        if made is not None:
            return made
        kind = all_strategies()[strategy].options
        return kind() if kind is not None else None

    def choosing(self, own: Choices | None) -> Settings:
        """Return the settings with a strategy chosen, with these options; None is `headings`."""
        if own is None:
            return replace(self, strategy=HEADINGS)
        rest = tuple(other for other in self.others if other.strategy != own.strategy)
        others = tuple(sorted((*rest, own), key=lambda other: other.strategy))
        return replace(self, strategy=own.strategy, others=others)

    def in_dialects(self, detected: frozenset[str]) -> Settings:
        """Return the settings for a folder in which these dialects were detected. Raises OptionError."""
        dialects = chosen_dialects(self.dialect, detected)
        if dialects == self.options.dialects:
            return self
        return replace(self, options=replace(self.options, dialects=dialects))

    def target(self) -> Model:
        """Return the model whose limit counts. Raises ModelError when it is not known here."""
        if self.token_limit and self.target_model == DEFAULT_TARGET:
            return other_model(self.token_limit)
        model = find_model(self.target_model)
        return replace(model, token_limit=self.token_limit) if self.token_limit else model


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings as read, the file they came from (None: nowhere), and what was wrong with it."""

    settings: Settings
    path: Path | None
    faults: tuple[str, ...] = ()

    def usable(self) -> tuple[Settings, tuple[str, ...]]:
        """Return the settings to begin with, and what is wrong with those read: a target model that is not here."""
        try:
            self.settings.target()
        except (InspectorError, ValueError) as error:
            default = Settings().target_model
            fault = f"{error} Until then tokens are counted for {default}."
            return replace(self.settings, target_model=default, token_limit=0), (*self.faults, fault)
        return self.settings, self.faults


def chosen_dialects(dialect: str, detected: frozenset[str]) -> frozenset[str]:
    """Return the names that `auto`, `none` or `NAME,NAME` stands for. Raises OptionError."""
    words = [word.strip() for word in dialect.split(",") if word.strip()]
    if words == [AUTO]:
        return detected
    if words == [NONE]:
        return frozenset()
    if not words or not set(words) <= set(DIALECTS):
        raise OptionError("dialect", f"choose {AUTO}, {NONE} or from {', '.join(DIALECTS)}")
    return frozenset(words)


def preset_of(options: Options) -> str | None:
    """Return the name of the preset that options are, whatever their dialects; None where they are none."""
    bare = replace(options, dialects=frozenset())
    return next((name for name, preset in PRESETS.items() if preset == bare), None)


def described(settings: Settings) -> str:
    """Say a strategy with the options that are not its defaults, as the command line takes it."""
    own = settings.own if settings.own is not None else replace(settings.options, dialects=frozenset())
    defaults = type(own)()
    words = [settings.strategy]
    for option in fields(own):
        value = getattr(own, option.name)
        if value != getattr(defaults, option.name):
            if isinstance(value, frozenset | tuple):
                value = ",".join(map(str, sorted(value) if isinstance(value, frozenset) else value))
            words.append(shlex.quote(f"{option.name}={value}"))
    return " ".join(words)


def load_settings(folder: Path | None) -> Loaded:
    """Read a folder's `chunk-inspector.toml`, else the user's own settings, else the defaults."""
    if folder is not None and (folder / FILE_NAME).is_file():
        return read_settings(folder / FILE_NAME)
    own = config_folder() / FILE_NAME
    if not own.is_file():
        return Loaded(Settings(), None)
    loaded = read_settings(own)
    if loaded.path is None:
        aside = own.with_suffix(".toml.unreadable")
        try:
            own.replace(aside)
        except OSError:
            return loaded
        return replace(loaded, faults=(*loaded.faults, f"It was set aside as {aside}."))
    return loaded


def read_settings(path: Path) -> Loaded:
    """Read one settings file. A bad value falls back to its default and is named; nothing raises."""
    try:
        data = tomlkit.parse(path.read_text(encoding="utf-8")).unwrap()
    except (OSError, UnicodeDecodeError, TOMLKitError) as error:
        return Loaded(Settings(), None, (f"{path} cannot be read ({error}): the defaults are used.",))
    faults: list[str] = []
    options = _read_options(data.get(_TABLE, {}), path, faults)
    models = _table(data, "models", path, faults)
    files = _table(data, "files", path, faults)
    problems = _table(data, "problems", path, faults)
    settings = Settings(
        options=options,
        strategy=_choice(data, "strategy", tuple(all_strategies()), HEADINGS, path, faults),
        context=_choice(data, "context", CONTEXTS, "title", path, faults),
        target_model=_typed(models, "target", str, DEFAULT_TARGET, path, faults),
        token_limit=_limit(models, path, faults),
        map_model=_typed(models, "map", str, BUNDLED, path, faults),
        selection=Selection(
            include=_strings(files, "include", path, faults),
            exclude=_strings(files, "exclude", path, faults),
            drafts=_typed(files, "drafts", bool, False, path, faults),
            plain_text=_typed(files, "plain_text", bool, False, path, faults),
        ),
        dialect=_dialect(data, path, faults),
        engine=_choice(models, "engine", ENGINE_CHOICES, ANY_ENGINE, path, faults),
        rules=RuleChoice(_codes(problems, "enable", path, faults), _codes(problems, "disable", path, faults)),
        map_fit=_map_fit(_table(data, "map", path, faults), path, faults),
        others=_read_others(data, path, faults),
    )
    return Loaded(settings, path, tuple(faults))


def save_settings(settings: Settings, path: Path) -> None:
    """Write settings, keeping comments and unknown keys that are there. Raises SettingsError."""
    try:
        text = path.read_text(encoding="utf-8")
        document = tomlkit.parse(text)
    except FileNotFoundError:
        document = tomlkit.document()
    except (OSError, UnicodeDecodeError, ParseError, TOMLKitError) as error:
        raise SettingsError(f"Can't save to {path}: it cannot be read ({error}).", subject=str(path)) from error
    _put(document, "strategy", settings.strategy)
    _put(document, "context", settings.context)
    _put(document, "dialect", settings.dialect)
    table = document.setdefault(_TABLE, tomlkit.table())
    for name, value in _option_values(settings.options).items():
        _put(table, name, value)
    for own in settings.others:
        own_table = document.setdefault(own.strategy, tomlkit.table())
        for option in fields(own):
            value = getattr(own, option.name)
            _put(own_table, option.name, list(value) if isinstance(value, tuple) else value)
    models = document.setdefault("models", tomlkit.table())
    _put(models, "target", settings.target_model)
    if settings.token_limit or "token_limit" in models:
        _put(models, "token_limit", settings.token_limit)
    _put(models, "map", settings.map_model)
    if settings.engine != ANY_ENGINE or "engine" in models:
        _put(models, "engine", settings.engine)
    fit = settings.map_fit
    if fit != USUAL_FIT or "map" in document:
        table = document.setdefault("map", tomlkit.table())
        _put(table, "neighbours", fit.neighbours)
        _put(table, "minimum_distance", fit.min_dist)
    selection = settings.selection
    if selection != Selection() or "files" in document:
        files = document.setdefault("files", tomlkit.table())
        for option in fields(Selection):
            value = getattr(selection, option.name)
            _put(files, option.name, list(value) if isinstance(value, tuple) else value)
    if settings.rules != RuleChoice() or "problems" in document:
        problems = document.setdefault("problems", tomlkit.table())
        _put_codes(problems, "enable", settings.rules.enable)
        _put_codes(problems, "disable", settings.rules.disable)
    try:
        write_atomically(path, tomlkit.dumps(document))
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise SettingsError(f"Can't save to {path}: {why}.", subject=str(path)) from error


def _put_codes(table: Any, key: str, codes: tuple[str, ...]) -> None:
    """Make a list name these rules, in place: comments in it and codes of another version's rules stay."""
    written = table.get(key)
    if not isinstance(written, list):
        if codes:
            table[key] = list(codes)
        return
    for code in [entry for entry in written if entry in RULES and entry not in codes]:
        written.remove(code)
    for code in codes:
        if code not in written:
            written.append(code)


def _put(table: Any, key: str, value: Any) -> None:
    """Set a value only where it differs, so that a comment beside an equal one stays."""
    if key not in table or table[key] != value:
        table[key] = value


def _option_values(options: Options) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for option in fields(Options):
        value = getattr(options, option.name)
        if option.name not in _NOT_SAVED:
            values[option.name] = sorted(value) if isinstance(value, frozenset) else value
    return values


def _read_options(table: Any, path: Path, faults: list[str]) -> Options:
    if not isinstance(table, Mapping):
        faults.append(f"{path}: {_TABLE} is not a table: the defaults are used.")
        return Options()
    given: dict[str, Any] = {}
    for option in fields(Options):
        if option.name not in table or option.name in _NOT_SAVED:
            continue
        value = table[option.name]
        if option.name in ("split_levels", "clean") and isinstance(value, list):
            value = frozenset(value) if all(isinstance(entry, str | int) for entry in value) else None
        given[option.name] = value
    good: dict[str, Any] = {name: given[name] for name in _THRESHOLDS if name in given}
    try:
        options = Options(**good)
    except (OptionError, TypeError) as error:
        faults.append(f"{path}: {error}: the default thresholds are used.")
        options = Options()
    for name, value in given.items():
        if name in _THRESHOLDS:
            continue
        try:
            options = replace(options, **{name: value})
        except (OptionError, TypeError) as error:
            faults.append(f"{path}: {error if isinstance(error, OptionError) else name}: the default is used.")
    return options


def _read_others(data: Mapping[str, Any], path: Path, faults: list[str]) -> tuple[Choices, ...]:
    """Read the table of each strategy beside `headings` that there is, in order of their names."""
    found: list[Choices] = []
    for name, strategy in sorted(all_strategies().items()):
        if strategy.options is None or name not in data:
            continue
        table = _table(data, name, path, faults)
        own = strategy.options()
        given = {option.name: table[option.name] for option in fields(own) if option.name in table}
        values = {key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}
        try:
            own = replace(own, **values)
        except (OptionError, TypeError) as error:
            faults.append(f"{path}: [{name}] {error}: the defaults are used.")
        found.append(own)
    return tuple(found)


def _table(data: Mapping[str, Any], name: str, path: Path, faults: list[str]) -> Mapping[str, Any]:
    table = data.get(name, {})
    if isinstance(table, Mapping):
        return table
    faults.append(f"{path}: {name} is not a table.")
    return {}


def _typed(table: Mapping[str, Any], key: str, kind: type[Any], default: Any, path: Path, faults: list[str]) -> Any:
    value = table.get(key, default)
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    faults.append(f"{path}: {key} = {value!r} makes no sense: {default!r} is used.")
    return default


def _limit(models: Mapping[str, Any], path: Path, faults: list[str]) -> int:
    limit: int = _typed(models, "token_limit", int, 0, path, faults)
    if limit == 0 or limit >= SMALLEST_LIMIT:
        return limit
    faults.append(f"{path}: token_limit = {limit} is below {SMALLEST_LIMIT}: the model's own is used.")
    return 0


def _choice(
    table: Mapping[str, Any], key: str, choices: tuple[str, ...], default: Any, path: Path, faults: list[str]
) -> Any:
    value = table.get(key, default)
    if value in choices:
        return value
    faults.append(f"{path}: {key} = {value!r} is not one of {', '.join(choices)}: {default!r} is used.")
    return default


def _dialect(table: Mapping[str, Any], path: Path, faults: list[str]) -> str:
    value: str = _typed(table, "dialect", str, AUTO, path, faults)
    try:
        chosen_dialects(value, frozenset())
    except OptionError as error:
        faults.append(f"{path}: {error}: {AUTO!r} is used.")
        return AUTO
    return value


def _map_fit(table: Mapping[str, Any], path: Path, faults: list[str]) -> MapFit:
    """Read how the map is fitted, by cosine distance: `neighbours` and `minimum_distance`."""
    neighbours = table.get("neighbours", USUAL_FIT.neighbours)
    distance = table.get("minimum_distance", USUAL_FIT.min_dist)
    fit = USUAL_FIT
    if isinstance(neighbours, int) and not isinstance(neighbours, bool) and 2 <= neighbours <= MOST_NEIGHBOURS:
        fit = replace(fit, neighbours=neighbours)
    else:
        faults.append(f"{path}: neighbours = {neighbours!r} is not from 2 to {MOST_NEIGHBOURS}: 15 is used.")
    if isinstance(distance, int | float) and not isinstance(distance, bool) and 0 <= distance < 1:
        return replace(fit, min_dist=float(distance))
    faults.append(f"{path}: minimum_distance = {distance!r} is not from 0 to under 1: 0.1 is used.")
    return fit


def _strings(table: Mapping[str, Any], key: str, path: Path, faults: list[str]) -> tuple[str, ...]:
    value = table.get(key, [])
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return tuple(value)
    faults.append(f"{path}: {key} is not a list of texts: it is left out.")
    return ()


def _codes(table: Mapping[str, Any], key: str, path: Path, faults: list[str]) -> tuple[str, ...]:
    """Return the codes of rules in a list; others are named and left out."""
    codes = _strings(table, key, path, faults)
    unknown = [code for code in codes if code not in RULES]
    if unknown:
        faults.append(f"{path}: {key} names no rule: {', '.join(unknown)}.")
    return tuple(dict.fromkeys(code for code in codes if code in RULES))
