"""Whose work the program stands on: every part with its version, licence and the licence's words."""

from __future__ import annotations

import importlib.metadata
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspector.resources import resource_path

ACCOUNT = "third-party.json"
"""Written when a bundle is built, from the files in it; a checkout and a wheel have none and ask what is installed."""
OWN = "chunk-inspector"
LICENCE_FILE = re.compile(r"(^|/)(licen[cs]es?|copying|notice|authors|copyright)[^/]*$|/licenses/", re.IGNORECASE)
REQUIRED_NAME = re.compile(r"[\s;\[<>=!~(]")  # ends at the first of these
NOT_TEXT = re.compile(r"\.(py|pyc|so|pyi|h|json|html|xml)$")
LONGEST = 400_000  # characters kept of one text
SHORT = 80  # characters of a field that names a licence; longer ones are its text
ALSO_INSIDE = (
    ("Inter", "OFL-1.1", "https://rsms.me/inter/", ("fonts", "Inter-OFL.txt")),
    ("JetBrains Mono", "OFL-1.1", "https://www.jetbrains.com/lp/mono/", ("fonts", "JetBrainsMono-OFL.txt")),
    ("Lucide icons", "ISC", "https://lucide.dev", ("icons", "LICENSE.txt")),
)


@dataclass(frozen=True, slots=True)
class Part:
    """One third party's work; `kind` is `python`, `debian` or `` for what comes otherwise."""

    name: str
    version: str
    licence: str
    home: str = ""
    kind: str = ""
    texts: tuple[str, ...] = ()


def read_parts() -> list[Part]:
    """Give all parts by name: of the bundle, else of what is installed."""
    account = resource_path(ACCOUNT)
    if account.is_file():
        records: list[dict[str, Any]] = json.loads(account.read_text(encoding="utf-8"))
        return [Part(**{**record, "texts": tuple(record["texts"])}) for record in records]
    installed = [part_of(distribution) for distribution in required_distributions(OWN)]
    return by_name([*installed, *resource_parts()])


def by_name(parts: list[Part]) -> list[Part]:
    """Sort parts as people look names up."""
    return sorted(parts, key=lambda part: part.name.lower())


def resource_parts() -> list[Part]:
    """Give the fonts and icons that come with the program."""
    return [
        Part(name, "", licence, home, "", (read_text(resource_path(*place)),))
        for name, licence, home, place in ALSO_INSIDE
    ]


def required_distributions(name: str) -> list[importlib.metadata.Distribution]:
    """List what a package requires, and that in turn, as far as it is installed."""
    seen = {name}
    waiting = [name]
    found: list[importlib.metadata.Distribution] = []
    while waiting:
        try:
            distribution = importlib.metadata.distribution(waiting.pop())
        except importlib.metadata.PackageNotFoundError:
            continue
        if normal_name(distribution.name) != name:
            found.append(distribution)
        for line in distribution.requires or ():
            required = normal_name(REQUIRED_NAME.split(line, maxsplit=1)[0])
            if "extra ==" not in line and required not in seen:
                seen.add(required)
                waiting.append(required)
    return found


def part_of(distribution: importlib.metadata.Distribution) -> Part:
    """Describe an installed package."""
    facts = distribution.metadata
    texts = [
        read_text(Path(str(file.locate())))
        for file in distribution.files or ()
        if LICENCE_FILE.search(file.as_posix()) and not NOT_TEXT.search(file.as_posix())
    ]
    kept = tuple(dict.fromkeys(text for text in texts if text))
    return Part(distribution.name, distribution.version, licence_of(facts), home_of(facts), "python", kept)


def licence_of(facts: Any) -> str:
    """Return a package's licence in a few words: its expression, else its field, else its classifiers."""
    stated = str(facts.get("License-Expression") or "")
    field = str(facts.get("License") or "").strip()
    classified = [
        value.rpartition(" :: ")[2] for value in facts.get_all("Classifier") or () if value.startswith("License ::")
    ]
    named = [name for name in classified if name != "OSI Approved"]
    return stated or (field if field and len(field) < SHORT else "") or ", ".join(named) or "see its text"


def home_of(facts: Any) -> str:
    """Return a package's page: the home it states, else the place of its source, else any."""
    stated = (value.partition(",") for value in facts.get_all("Project-URL") or ())
    addresses = {label.strip().lower(): address.strip() for label, _, address in stated}
    for label in ("homepage", "home", "source", "repository", "source code"):
        if label in addresses:
            return str(addresses[label])
    return str(facts.get("Home-page") or next(iter(addresses.values()), ""))


def normal_name(name: str) -> str:
    """Return a package's name as PEP 503 writes it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read_text(path: Path) -> str:
    """Read a text for showing; empty where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")[:LONGEST].strip()
    except OSError:
        return ""
