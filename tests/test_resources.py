"""Resources are found in a checkout, a bundle and an installed wheel."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from inspector.resources import resource_path, resource_root

ROOT = Path(__file__).resolve().parent.parent


def test_a_checkout_has_its_resources() -> None:
    assert resource_path("fonts", "Inter-Regular.ttf").is_file()
    assert resource_path("icons", "LICENSE.txt").is_file()
    assert resource_path("sample").is_dir()


def test_a_bundle_is_looked_at_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "resources" / "icons").mkdir(parents=True)
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    resource_root.cache_clear()
    try:
        assert resource_root() == tmp_path / "resources"
    finally:
        resource_root.cache_clear()


def test_every_package_is_listed_for_the_wheel() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    found = {".".join(path.parent.relative_to(ROOT).parts) for path in ROOT.glob("inspector/**/__init__.py")}
    assert set(listed) - {"inspector._resources"} == found, "add it to packages in [tool.setuptools]"


def test_a_wheel_holds_the_resources(tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns(".*env", ".git", "build", "dist", "*.egg-info", "__pycache__", ".*_cache")
    shutil.copytree(ROOT, tmp_path / "tree", ignore=ignored)
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "-q", "-w", str(tmp_path), str(tmp_path / "tree")]
    subprocess.run(command, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        archive.extractall(tmp_path / "site")
    assert "inspector/_resources/sample/.gitignore" in names
    resources = ROOT / "resources"
    files = [path.relative_to(resources).as_posix() for path in resources.rglob("*") if path.is_file()]
    assert {f"inspector/_resources/{name}" for name in files} <= names
    code = "from inspector.resources import resource_path as r; print(r('fonts', 'Inter-Bold.ttf'))"
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, cwd=tmp_path / "site", capture_output=True, text=True, check=True)
    assert Path(found.stdout.strip()).is_relative_to(tmp_path / "site")
