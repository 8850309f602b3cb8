"""Where fonts, icons and the sample folder are, in a checkout, an installed wheel and a frozen bundle."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path


@cache
def resource_root() -> Path:
    """Return the folder that holds the resources; raises FileNotFoundError when there is none."""
    package = Path(__file__).resolve().parent
    bundle = getattr(sys, "_MEIPASS", None)
    candidates = [Path(bundle) / "resources"] if bundle else []
    candidates += [package / "_resources", package.parent / "resources"]
    for candidate in candidates:
        if (candidate / "icons").is_dir():
            return candidate
    raise FileNotFoundError(f"The resources folder is missing: looked in {', '.join(map(str, candidates))}.")


def resource_path(*parts: str) -> Path:
    """Return the path of a resource, for example `resource_path("fonts", "Inter-Regular.ttf")`."""
    return resource_root().joinpath(*parts)
