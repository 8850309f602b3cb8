"""The options of the strategies beside `headings`: a frozen dataclass each, checked by what its fields say."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from inspector.core.options import MINIMUM_CAP, OptionError

UNITS = ("tokens", "characters")
SEPARATORS = ("heading", "blank line", "line", "sentence", "word")
LARGEST = 200_000


def described(label: str, help_text: str, **more: Any) -> dict[str, Any]:
    """Metadata of a field, which forms, checks and the command line read."""
    return {"label": label, "help": help_text, **more}


def _size(default: int) -> Any:
    metadata = described("Size", "No chunk is longer than this.", minimum=1, maximum=LARGEST)
    return field(default=default, metadata=metadata)


def _overlap(default: int, help_text: str) -> Any:
    return field(default=default, metadata=described("Overlap", help_text, minimum=0, maximum=LARGEST))


def _unit(default: str) -> Any:
    help_text = "What size and overlap count: tokens of the target model, or characters."
    return field(default=default, metadata=described("Counted in", help_text, choices=UNITS))


def _cleaned() -> Any:
    help_text = "Work on the cleaned text; off shows what becomes of the post as it is."
    return field(default=True, metadata=described("Clean first", help_text))


@dataclass(frozen=True, slots=True)
class Choices:
    """What the options of every strategy beside `headings` are, checked by their field. Raises OptionError."""

    strategy: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for option in fields(self):
            check_value(option.name, getattr(self, option.name), option.default, option.metadata)
        self.check()

    def check(self) -> None:
        """Check what several fields say together. Raises OptionError."""

    @property
    def is_cleaned(self) -> bool:
        """Whether the strategy works on the cleaned text."""
        return bool(getattr(self, "cleaned", False))


def check_value(name: str, value: Any, default: Any, metadata: Any) -> None:
    """Check one value by its default's type and its metadata. Raises OptionError."""
    choices = metadata.get("choices")
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise OptionError(name, f"{value!r} is neither true nor false")
    elif isinstance(default, int):
        if isinstance(value, bool) or not isinstance(value, int):
            raise OptionError(name, f"{value!r} is not a whole number")
        if value < metadata["minimum"]:
            raise OptionError(name, f"{value} is below {metadata['minimum']}")
        if value > metadata["maximum"]:
            raise OptionError(name, f"{value} is above {metadata['maximum']}")
    elif isinstance(default, str):
        if not isinstance(value, str):
            raise OptionError(name, f"{value!r} is not a text")
        if choices and value not in choices:
            raise OptionError(name, f"{value!r} is not one of {', '.join(choices)}")
    elif not isinstance(value, tuple) or not set(value) <= set(choices):
        raise OptionError(name, f"choose from {', '.join(choices)}")


def check_overlap(size: int, overlap: int) -> None:
    """Refuse an overlap that is not below the size. Raises OptionError."""
    if overlap >= size:
        raise OptionError("overlap", f"{overlap} is not below the size of {size}: no chunk would ever end")


@dataclass(frozen=True, slots=True)
class External(Choices):
    """What the options of another program's strategy are; `strategy` is its name."""


@dataclass(frozen=True, slots=True)
class Window(Choices):
    """The tutorial's sliding window: `size` and `overlap` in `unit`."""

    strategy: ClassVar[str] = "window"

    size: int = _size(500)
    overlap: int = _overlap(50, "How much of each window the next one repeats.")
    unit: str = _unit("tokens")
    cleaned: bool = _cleaned()

    def check(self) -> None:
        """Refuse an overlap that is not below the size."""
        check_overlap(self.size, self.overlap)


@dataclass(frozen=True, slots=True)
class Sentences(Choices):
    """Whole sentences up to a size, the tail carried over."""

    strategy: ClassVar[str] = "sentences"

    size: int = _size(500)
    overlap: int = _overlap(80, "How much of each chunk's tail the next one repeats, in whole words.")
    unit: str = _unit("characters")
    cleaned: bool = _cleaned()

    def check(self) -> None:
        """Refuse an overlap that is not below the size."""
        check_overlap(self.size, self.overlap)


@dataclass(frozen=True, slots=True)
class Recursive(Choices):
    """Separators tried in order, small neighbours merged up to `size`; `overlap` in percent of it."""

    strategy: ClassVar[str] = "recursive"

    size: int = _size(512)
    overlap: int = field(
        default=15,
        metadata=described(
            "Overlap %", "How much of the size a chunk may repeat of the one before.", minimum=0, maximum=99
        ),
    )
    unit: str = _unit("tokens")
    separators: tuple[str, ...] = field(
        default=SEPARATORS,
        metadata=described("Separators", "Where the text may be cut, tried in this order.", choices=SEPARATORS),
    )
    cleaned: bool = _cleaned()

    def check(self) -> None:
        """Refuse the same separator twice."""
        if len(set(self.separators)) < len(self.separators):
            raise OptionError("separators", "each can be named once")


@dataclass(frozen=True, slots=True)
class Paragraphs(Choices):
    """One chunk a paragraph; those shorter than `drop` characters are left out."""

    strategy: ClassVar[str] = "paragraphs"

    drop: int = field(
        default=0,
        metadata=described("Drop", "A paragraph shorter than this is left out.", minimum=0, maximum=20_000),
    )
    cleaned: bool = _cleaned()


@dataclass(frozen=True, slots=True)
class Semantic(Choices):
    """Sentences grouped until the distance to the next is among the largest, or `cap` characters are full."""

    strategy: ClassVar[str] = "semantic"

    cap: int = field(
        default=1400,
        metadata=described("Cap", "No chunk is longer than this.", minimum=MINIMUM_CAP, maximum=LARGEST),
    )
    percentile: int = field(
        default=95,
        metadata=described(
            "Percentile", "Cut where the topic turns more than at this share of gaps.", minimum=1, maximum=100
        ),
    )
    cleaned: bool = _cleaned()


@dataclass(frozen=True, slots=True)
class Imported(Choices):
    """Chunks that another program made, read from the file `chunks` and placed onto the source."""

    strategy: ClassVar[str] = "imported"

    chunks: str = field(default="", metadata=described("Chunks", "A JSONL, JSON or CSV file of chunks."))
    likeness: int = field(
        default=80,
        metadata=described(
            "Likeness %",
            "A chunk that stands nowhere exactly is placed where this much agrees.",
            minimum=50,
            maximum=100,
        ),
    )
