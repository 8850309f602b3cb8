"""The options of the heading strategy: one frozen dataclass; what makes no sense is refused."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from inspector.core.dialects import DIALECTS

CLEANABLE = ("comment", "image", "link", "url", "code", "html")
MINIMUM_CAP = 40


class OptionError(ValueError):
    """A value that makes no sense; `field` names the option."""

    def __init__(self, field_name: str, message: str) -> None:
        super().__init__(f"{field_name}: {message}")
        self.field = field_name


def _meta(label: str, help_text: str, **more: Any) -> dict[str, Any]:
    return {"label": label, "help": help_text, **more}


@dataclass(frozen=True, slots=True)
class Options:
    """Thresholds in code points of the cleaned text, and what is cleaned. Raises OptionError."""

    drop: int = field(
        default=80,
        metadata=_meta("Drop", "A section shorter than this is left out.", minimum=0, maximum=20_000),
    )
    fold: int = field(
        default=320,
        metadata=_meta("Fold", "A section shorter than this joins the one before it.", minimum=0, maximum=20_000),
    )
    cap: int = field(
        default=1400,
        metadata=_meta("Cap", "No chunk is longer than this.", minimum=MINIMUM_CAP, maximum=200_000),
    )
    packing: str = field(
        default="greedy",
        metadata=_meta(
            "Packing",
            "Fill each chunk of a long section in turn, or share it out evenly in as few chunks.",
            choices=("greedy", "balanced"),
        ),
    )
    overlap: int = field(
        default=0,
        metadata=_meta(
            "Overlap",
            "What a chunk repeats of the one before where a section had to be cut.",
            minimum=0,
            maximum=20_000,
        ),
    )
    code_lines: int = field(
        default=6,
        metadata=_meta("Code lines", "Lines kept of a code block; 0 keeps all.", minimum=0, maximum=10_000),
    )
    split_levels: frozenset[int] = field(
        default=frozenset({2, 3}),
        metadata=_meta("Split at", "Heading levels that begin a section.", choices=(1, 2, 3, 4, 5, 6)),
    )
    stubs: str = field(
        default="drop",
        metadata=_meta("Stubs", "What happens to sections under `drop`.", choices=("drop", "fold")),
    )
    fold_into: str = field(
        default="previous",
        metadata=_meta("Fold into", "The section before, or only a related one.", choices=("previous", "related")),
    )
    addresses: str = field(
        default="lone",
        metadata=_meta("Addresses", "Remove addresses alone on their line, or all.", choices=("lone", "remove")),
    )
    clean: frozenset[str] = field(
        default=frozenset(CLEANABLE),
        metadata=_meta("Clean", "What is removed before anything is measured.", choices=CLEANABLE),
    )
    lang: str = field(
        default="en",
        metadata=_meta("Language", "Whose sentence rules apply when a document does not say."),
    )

    dialects: frozenset[str] = field(
        default=frozenset(),
        metadata=_meta("Dialects", "The site syntax that is taken out.", choices=tuple(DIALECTS)),
    )

    @property
    def least_cap(self) -> int:
        """The smallest cap that the fold and the overlap leave room for."""
        return max(self.fold, MINIMUM_CAP) + self.overlap

    def __post_init__(self) -> None:
        object.__setattr__(self, "split_levels", frozenset(self.split_levels))
        object.__setattr__(self, "clean", frozenset(self.clean))
        object.__setattr__(self, "dialects", frozenset(self.dialects))
        for name in ("drop", "fold", "cap", "overlap", "code_lines"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int):
                raise OptionError(name, f"{value!r} is not a whole number")
            if value < 0:
                raise OptionError(name, f"{value} is below 0")
        if self.cap < MINIMUM_CAP:
            raise OptionError("cap", f"{self.cap} is below {MINIMUM_CAP}")
        if self.fold > self.cap:
            raise OptionError("fold", f"{self.fold} is above the cap of {self.cap}")
        if self.drop > self.fold:
            raise OptionError("drop", f"{self.drop} is above the fold of {self.fold}")
        if self.overlap and self.cap < self.least_cap:
            least = self.least_cap - self.overlap
            raise OptionError("overlap", f"{self.overlap} leaves less than {least} of the cap of {self.cap}")
        if not self.split_levels or not self.split_levels <= set(range(1, 7)):
            raise OptionError("split_levels", "name one or more heading levels from 1 to 6")
        if not self.clean <= set(CLEANABLE):
            raise OptionError("clean", f"choose from {', '.join(CLEANABLE)}")
        if not self.dialects <= set(DIALECTS):
            raise OptionError("dialects", f"choose from {', '.join(DIALECTS)}")
        for option in fields(self):
            choices = option.metadata.get("choices")
            value = getattr(self, option.name)
            if isinstance(option.default, str) and not isinstance(value, str):
                raise OptionError(option.name, f"{value!r} is not a text")
            if choices and isinstance(value, str) and value not in choices:
                raise OptionError(option.name, f"{value!r} is not one of {', '.join(choices)}")
