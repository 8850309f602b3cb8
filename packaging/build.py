#!/usr/bin/env python3
"""Build Chunk Inspector as a program that people install.

python packaging/build.py               the bundle and this system's packages, in dist/
python packaging/build.py bundle        the bundle alone: dist/chunk-inspector (macOS: dist/Chunk Inspector.app)
python packaging/build.py package       this system's packages of the bundle that is there
python packaging/build.py check         run the self-test in the bundle that is there

It makes a virtual environment of its own, build/venv, and takes about five minutes after that.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "packaging"))

from bundle import weigh  # noqa: E402  the folder above has to be known first
from start import CPU_INDEX, has_cpu_index  # noqa: E402

BUILD = ROOT / "build"
DIST = ROOT / "dist"
VENV = BUILD / "venv"
TOOLS = ("pyinstaller>=6.22", "pyinstaller-hooks-contrib>=2026.9", "cyclonedx-python-lib[json-validation]>=11")
NAME = "chunk-inspector"
STEPS = ("bundle", "package", "check")

STRIPPED = (
    "torch/lib/libtorch_cpu.so", "torch/lib/libtorch_python.so", "llvmlite/binding/libllvmlite.so", "libpython3*.so*",
    "python3*/lib-dynload/*.so", "numba/*.so", "tokenizers/*.so", "safetensors/*.so", "sentencex/*.so", "regex/*.so",
    "yaml/*.so", "scipy/optimize/_highspy/*.so",
)  # fmt: skip
"""Their tables of symbols weigh 160 MB. The others are left as they came: stripping breaks some (OpenBLAS)."""


class BuildError(Exception):
    """A step that failed, or something that is missing here."""


def main(arguments: list[str]) -> int:
    """Do the steps asked for, all by default; return the exit code."""
    if any(argument not in STEPS for argument in arguments):
        print(__doc__)
        return 0 if arguments[0] in ("-h", "--help") else 2
    try:
        for step in arguments or STEPS:
            print(f"== {step}", flush=True)
            {"bundle": make_bundle, "package": make_packages, "check": check_bundle}[step]()
    except BuildError as error:
        print(f"build: {error}", file=sys.stderr)
        return 1
    return 0


def make_bundle() -> None:
    """Build the onedir bundle and say what each part of it weighs."""
    begun = time.monotonic()
    python = build_python()
    if sys.platform.startswith("linux") and shutil.which("strip") is None:
        raise BuildError("strip is missing: install binutils")
    engine = BUILD / "engine"
    shutil.rmtree(engine, ignore_errors=True)
    run([python, "-m", "bundle.engine", str(engine)], PYTHONPATH=os.pathsep.join([str(ROOT), str(ROOT / "packaging")]))
    shutil.rmtree(DIST / NAME, ignore_errors=True)
    work = BUILD / "pyinstaller"
    work.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":
        (work / "inspector").mkdir(exist_ok=True)
        (work / "inspector" / "version_info.txt").write_text(version_resource(project_version()), encoding="utf-8")
    command = [python, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"]
    command += ["--distpath", str(DIST), "--workpath", str(work), str(ROOT / "packaging" / "bundle" / "inspector.spec")]
    run(command, CHUNK_INSPECTOR_ENGINE=str(engine), CHUNK_INSPECTOR_VERSION=project_version())
    folder = DIST / NAME
    before = weigh.size_of(folder)
    if sys.platform.startswith("linux"):
        strip_symbols(folder / "_internal", python)
        (folder / f"{NAME}-gui").symlink_to(NAME)
        print(f"symbols stripped: {(before - weigh.size_of(folder)) / 1e6:.0f} MB")
    run([python, str(ROOT / "packaging" / "sbom.py"), str(folder), str(DIST / f"{NAME}-{project_version()}.cdx.json")])
    print(weigh.table(folder))
    print(f"built in {time.monotonic() - begun:.0f} s")


def strip_symbols(folder: Path, python: str) -> None:
    """Take the tables of symbols out of libraries, and see that each can still be loaded."""
    libraries = [str(path) for pattern in STRIPPED for path in folder.glob(pattern) if not path.is_symlink()]
    run(["strip", "--strip-unneeded", *libraries])
    code = "import ctypes, os, sys\nfor path in sys.argv[1:]: ctypes.CDLL(path, os.RTLD_LAZY)"
    run([python, "-c", code, *libraries], LD_LIBRARY_PATH=str(folder))


def build_python() -> str:
    """Make the virtual environment that is bundled, unless it is there; CHUNK_INSPECTOR_BUILD_PYTHON names another."""
    if stated := os.environ.get("CHUNK_INSPECTOR_BUILD_PYTHON"):
        return stated
    python = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        run([sys.executable, "-m", "venv", str(VENV)])
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if has_cpu_index():
        command += ["--extra-index-url", CPU_INDEX]
    run([*command, f"{ROOT}[fast]", *TOOLS])
    run([str(python), "-m", "pip", "uninstall", "--quiet", "--yes", NAME])  # what is bundled is the checkout
    return str(python)


def project_version() -> str:
    """Return the version in pyproject.toml."""
    import tomllib

    return str(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def version_resource(version: str) -> str:
    """Return the version resource of the Windows programs."""
    template = (ROOT / "packaging" / "windows" / "version_info.txt").read_text(encoding="utf-8")
    numbers = ", ".join([*version.split(".")[:3], "0"])
    return template.replace("@NUMBERS@", numbers).replace("@VERSION@", version)


def make_packages() -> None:
    """Pack the bundle as this system's people expect it."""
    scripts = {"linux": "linux/package.py", "win32": "windows/package.py", "darwin": "macos/package.py"}
    script = scripts.get("linux" if sys.platform.startswith("linux") else sys.platform)
    if script is None:
        raise BuildError(f"nothing is packed for {sys.platform}")
    run([sys.executable, str(ROOT / "packaging" / script), str(DIST), project_version()])


def check_bundle() -> None:
    """Run the bundle's own self-test, with nothing of this machine's Python in sight."""
    run([str(program()), "--version"])
    run([str(program()), "selftest"])


def program() -> Path:
    """Return the bundle's program."""
    if sys.platform == "darwin":
        return DIST / "Chunk Inspector.app" / "Contents" / "MacOS" / NAME
    return DIST / NAME / (f"{NAME}.exe" if sys.platform == "win32" else NAME)


def run(command: list[str], **environment: str) -> None:
    """Run a command to its end; raises BuildError when it fails."""
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **environment})
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)[:200]} ended with {done.returncode}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
