"""What all tests share: no screen, no network, no traces in the user's folders; stray Qt warnings fail."""

from __future__ import annotations

import os
import tempfile

_SCRATCH = tempfile.mkdtemp(prefix="chunk-inspector-tests-")
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["CHUNK_INSPECTOR_CACHE"] = os.path.join(_SCRATCH, "cache")
os.environ["CHUNK_INSPECTOR_CONFIG"] = os.path.join(_SCRATCH, "config")
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "true"
os.environ.setdefault("OMP_NUM_THREADS", "2")

import shutil  # noqa: E402 - the environment comes before anything that reads it
from pathlib import Path  # noqa: E402 - the environment comes before anything that reads it

import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

settings.register_profile(
    "inspector", deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.register_profile("thorough", parent=settings.get_profile("inspector"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "inspector"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--update-golden`, which rewrites the expected results."""
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files instead of comparing")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave benchmarks, and the test that builds the bundle, out unless they are asked for by name."""
    for name in ("benchmarks", "test_bundle.py"):
        if collection_path.name == name and not any(name in argument for argument in config.args):
            return True
    return None


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Say whether golden files are to be rewritten."""
    return bool(request.config.getoption("--update-golden"))


def pytest_unconfigure() -> None:
    """Remove the scratch folders."""
    shutil.rmtree(_SCRATCH, ignore_errors=True)
