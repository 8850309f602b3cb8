"""Options that make no sense are refused, and the field is named."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.core.options import OptionError, Options


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("cap", {"cap": 39, "fold": 0, "drop": 0}),
        ("fold", {"fold": 2000}),
        ("drop", {"drop": 400}),
        ("drop", {"drop": -1}),
        ("cap", {"cap": "1400"}),
        ("code_lines", {"code_lines": True}),
        ("split_levels", {"split_levels": frozenset()}),
        ("split_levels", {"split_levels": frozenset({7})}),
        ("clean", {"clean": frozenset({"everything"})}),
        ("stubs", {"stubs": "keep"}),
        ("fold_into", {"fold_into": "next"}),
        ("addresses", {"addresses": "some"}),
    ],
)
def test_nonsense_is_refused(field: str, values: dict[str, Any]) -> None:
    with pytest.raises(OptionError) as caught:
        Options(**values)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: ")
    assert isinstance(caught.value, ValueError)


def test_sets_may_be_given_as_lists() -> None:
    assert Options(split_levels=[3, 2], clean=["link"]) == Options(
        split_levels=frozenset({2, 3}), clean=frozenset({"link"})
    )  # type: ignore[arg-type]
