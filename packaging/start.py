#!/usr/bin/env python3
"""Set up Chunk Inspector and start it, with nothing but Python.

python3 packaging/start.py [FOLDER]     set up if needed, then open the window (the sample by default)
python3 packaging/start.py test [...]   set up with the tools for testing, then run pytest
python3 packaging/start.py test-bundle  build the program that people install, and try it; ten minutes
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "chunk-inspector-stamp.txt"
OLDEST_PYTHON = (3, 11)
BUNDLE_TEST = "tests/packaging/test_bundle.py"

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
CPU_INDEX_SECONDS = 5

# What Qt loads, and the Debian package that has it.
LIBRARIES = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libfontconfig.so.1": "libfontconfig1",
    "libdbus-1.so.3": "libdbus-1-3",
}
X11_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
}


class SetupError(Exception):
    """Something that the person at the keyboard has to do first."""


def main(arguments: list[str]) -> int:
    """Set up what is missing, then open the window or run the tests; return the exit code."""
    if arguments and arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    is_test = bool(arguments) and arguments[0] in ("test", "test-bundle")
    try:
        check_python()
        check_libraries(with_x11=not is_test and bool(os.environ.get("DISPLAY")))
        set_up(with_tools=is_test)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 2
    if is_test:
        return run_tests(
            [BUNDLE_TEST, "-m", "slow", *arguments[1:]] if arguments[0] == "test-bundle" else arguments[1:]
        )
    return open_window(arguments)


def check_python() -> None:
    """Refuse a Python that is too old, by name."""
    if sys.version_info < OLDEST_PYTHON:
        wanted = ".".join(map(str, OLDEST_PYTHON))
        raise SetupError(
            f"Chunk Inspector needs Python {wanted} or newer; this is {platform.python_version()}. "
            f"Install a newer one, then run it with that: python{wanted} packaging/start.py"
        )


def check_libraries(with_x11: bool) -> None:
    """Find the system libraries that Qt and pip need, and install the missing ones where that is possible."""
    packages = []
    if sys.platform.startswith("linux"):
        wanted = {**LIBRARIES, **X11_LIBRARIES} if with_x11 else LIBRARIES
        packages += [package for library, package in wanted.items() if not can_load(library)]
    if importlib.util.find_spec("ensurepip") is None and not has_pip():
        packages.append("python3-venv")
    if packages:
        install_packages(packages)


def can_load(library: str) -> bool:
    """Say whether the system's loader finds a shared library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def has_pip() -> bool:
    """Say whether the virtual environment is there and has pip."""
    return python().exists() and run([str(python()), "-m", "pip", "--version"], quiet=True) == 0


def install_packages(packages: list[str]) -> None:
    """Install Debian packages as root; anyone else gets the one line to run."""
    command = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    if shutil.which("apt-get") is None:
        raise SetupError(f"Missing system libraries. What Debian calls them: {' '.join(packages)}")
    if os.geteuid() != 0:
        raise SetupError(f"Missing system libraries. Run: sudo {' '.join(command)}")
    print(f"Installing system libraries: {' '.join(packages)}", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    run(["apt-get", "update", "-q"], quiet=True, environment=environment)
    if run(command, quiet=True, environment=environment) != 0:
        raise SetupError(f"apt could not install them. Run: {' '.join(command)}")


def set_up(with_tools: bool) -> None:
    """Make the virtual environment and install the project into it, unless that was done already."""
    done = STAMP.read_text().split() if STAMP.exists() and python().exists() else []
    key = stamp_key()
    if done[:1] == [key] and (not with_tools or "dev" in done):
        return
    with_tools = with_tools or "dev" in done
    if not python().exists() or venv_version() != platform.python_version():
        print(f"Making the virtual environment {VENV.name}", flush=True)
        if run([sys.executable, "-m", "venv", "--clear", str(VENV)]) != 0:
            raise SetupError(f"Could not make {VENV}. Delete that folder and start again.")
    target = f"{ROOT}[fast,dev]" if with_tools else f"{ROOT}[fast]"
    command = [str(python()), "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
    if has_cpu_index():
        command += ["--extra-index-url", CPU_INDEX]
    print("Installing Chunk Inspector and what it needs: 2 GB, a few minutes the first time", flush=True)
    STAMP.unlink(missing_ok=True)
    if run([*command, "--editable", target]) != 0:
        raise SetupError("pip could not install the project; what it said stands above.")
    STAMP.write_text(f"{key} {'dev' if with_tools else 'run'}\n")


def stamp_key() -> str:
    """Return what a finished set-up depends on: the project's requirements, its place and the Python."""
    digest = hashlib.sha256((ROOT / "pyproject.toml").read_bytes())
    digest.update(f"{platform.python_version()} {ROOT}".encode())
    return digest.hexdigest()


def venv_version() -> str:
    """Return the version of the virtual environment's Python, empty when it does not run."""
    code = "import platform; print(platform.python_version())"
    try:
        return subprocess.run([str(python()), "-c", code], capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""


def has_cpu_index() -> bool:
    """Say whether PyTorch's index of CPU builds answers in time; only Linux needs it."""
    if not sys.platform.startswith("linux"):
        return False
    answers: list[int] = []

    def ask() -> None:
        try:
            with urllib.request.urlopen(f"{CPU_INDEX}/torch/", timeout=CPU_INDEX_SECONDS) as answer:
                answers.append(answer.status)
        except (OSError, ValueError):
            pass

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(CPU_INDEX_SECONDS)  # the limit of urlopen does not cover the look-up of the name
    return answers == [200]


def run_tests(arguments: list[str]) -> int:
    """Run pytest in the virtual environment."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    return run([str(python()), "-m", "pytest", *arguments], folder=ROOT, environment=environment)


def open_window(arguments: list[str]) -> int:
    """Open the window on the paths given, else on the sample; say what to do where there is no screen."""
    paths = arguments or [str(ROOT / "resources" / "sample")]
    if not has_screen():
        print("There is no screen here: neither DISPLAY nor WAYLAND_DISPLAY is set. To see the window as a picture:")
        print(f"  QT_QPA_PLATFORM=offscreen {python()} -m inspector screenshot {paths[0]} --output window.png")
        return 1
    command = [str(python()), "-m", "inspector", *paths]
    if os.name == "posix":
        sys.stdout.flush()
        os.execv(command[0], command)
    return run(command)


def has_screen() -> bool:
    """Say whether a window can be shown."""
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return not sys.platform.startswith("linux") or any(os.environ.get(name) for name in names)


def python() -> Path:
    """Return the virtual environment's Python."""
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def run(
    command: list[str], *, quiet: bool = False, folder: Path | None = None, environment: dict[str, str] | None = None
) -> int:
    """Run a command to its end and return its exit code, 127 when there is no such program."""
    output = subprocess.DEVNULL if quiet else None
    try:
        return subprocess.run(command, stdout=output, stderr=output, cwd=folder, env=environment).returncode
    except OSError:
        return 127


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
