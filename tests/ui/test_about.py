"""About tells what a report of a fault needs, and whose work the program stands on."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication

from inspector import __version__
from inspector.folders import cache_folder
from inspector.licences import Part, read_parts
from inspector.ui.about import AboutBox, LicencesBox, gather_facts

PARTS = [Part("a-part", "1.0", "MIT", "https://example.org/a", "python", ("Do what you like.",)), Part("b", "", "ISC")]


def test_the_details_name_versions_model_engine_and_folders(qtbot):
    box = AboutBox(None, gather_facts("all-MiniLM-L6-v2", "onnxruntime"))
    qtbot.addWidget(box)
    box.copy.click()
    text = QGuiApplication.clipboard().text()
    for wanted in (f"Chunk Inspector: {__version__}", "Model: all-MiniLM-L6-v2", "Engine: onnxruntime", "Python: 3."):
        assert wanted in text
    assert f"Cache: {cache_folder()}" in text
    assert box.copy.text() == "Copied"


def test_a_model_that_is_not_loaded_is_said_so():
    assert "Engine: not loaded yet" in gather_facts().as_text()


def test_the_licences_open_from_about(qtbot):
    box = AboutBox(None, gather_facts())
    qtbot.addWidget(box)
    box.licences.click()
    (opened,) = box.findChildren(LicencesBox)
    assert opened.isVisible()
    assert opened.list.count() > 20
    opened.reject()


def test_a_part_is_found_by_licence_and_shown_with_its_words(qtbot):
    box = LicencesBox(None, PARTS)
    qtbot.addWidget(box)
    assert box.text.toPlainText() == "a-part 1.0\nMIT\nhttps://example.org/a\n\nDo what you like."
    box.field.setText("isc")
    assert [box.list.isRowHidden(row) for row in range(2)] == [True, False]
    box.list.setCurrentRow(1)
    assert box.text.toPlainText() == "b\nISC"


@pytest.mark.parametrize("name", ["torch", "sentence-transformers", "PySide6_Essentials", "Inter", "numpy"])
def test_what_is_installed_is_listed_with_its_licence(name):
    parts = {part.name: part for part in read_parts()}
    assert parts[name].licence


def test_tools_for_testing_are_no_part_of_the_program():
    assert not {"pytest", "ruff", "mypy"} & {part.name for part in read_parts()}
