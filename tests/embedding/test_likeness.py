"""Rules that need vectors, with vectors made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from inspector.core.chunk import Chunk, Chunking
from inspector.core.document import document_from_text
from inspector.core.options import Options
from inspector.core.problems.problem import Problem
from inspector.core.strategies.headings import chunk_document
from inspector.embedding import likeness
from inspector.embedding.likeness import mean_similarity, near_duplicates, nearest_before, sentences, several_topics

TEXT = "## A\n\nOne thing is said here, and then another.\n\n## B\n\nSomething else altogether is said down here.\n"
UP, ALMOST_UP, RIGHT, ACROSS = (1.0, 0.0, 0.0), (0.98, 0.199, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def rows(*vectors: tuple[float, ...]) -> np.ndarray:
    return np.array(vectors, np.float32)


def chunks(*names: str) -> list[tuple[Chunking, Chunk]]:
    found = [chunk_document(document_from_text(name, TEXT), Options(drop=0, fold=0)) for name in names]
    return [(chunking, chunk) for chunking in found for chunk in chunking.chunks]


def duplicates(given: list[tuple[Chunking, Chunk]], matrix: np.ndarray) -> dict[str, list[Problem]]:
    names = [chunking.document.name for chunking, _ in given]
    groups = np.array([names.index(name) for name in names], np.int64)
    return near_duplicates(given, *nearest_before(matrix, groups))


@pytest.mark.parametrize("block", [1, 2, 1024])
def test_the_nearest_before_is_of_another_group(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(likeness, "BLOCK", block)
    found, scores = nearest_before(rows(UP, UP, RIGHT, ALMOST_UP, RIGHT), np.array([0, 0, 1, 2, 2]))
    assert found.tolist() == [-1, -1, 0, 0, 2]
    assert scores.tolist() == pytest.approx([-1, -1, 0, 0.98, 1], abs=1e-3)


def test_the_nearest_before_agrees_with_all_pairs() -> None:
    random = np.random.default_rng(4)
    matrix = random.normal(size=(300, 8)).astype(np.float32)
    groups = random.integers(0, 20, 300)
    found, scores = nearest_before(matrix, groups)
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    for row in range(300):
        others = [other for other in range(row) if groups[other] != groups[row]]
        best = max(others, key=lambda other: float(unit[row] @ unit[other]), default=-1)
        assert found[row] == best
        assert best < 0 or scores[row] == pytest.approx(float(unit[row] @ unit[best]), abs=1e-5)


def test_nothing_is_before_nothing() -> None:
    found, scores = nearest_before(np.zeros((0, 3), np.float32), np.zeros(0, np.int64))
    assert len(found) == len(scores) == 0


def test_a_near_duplicate_is_named_once_with_its_twin() -> None:
    found = duplicates(chunks("a.md", "posts/b.md"), rows(UP, RIGHT, ACROSS, ALMOST_UP))
    assert list(found) == ["posts/b.md"]
    (problem,) = found["posts/b.md"]
    assert problem.message == "Chunk #2 says nearly the same as #1 of a.md (similarity 0.98)."
    assert TEXT[problem.span.start :].startswith("B\n")
    assert problem.line == 5


def test_chunks_of_one_document_and_distant_ones_are_left_alone() -> None:
    assert duplicates(chunks("a.md", "b.md"), rows(UP, UP, RIGHT, RIGHT)) == {}
    assert duplicates([], np.zeros((0, 3), np.float32)) == {}


def test_the_mean_similarity_is_that_of_all_pairs() -> None:
    assert mean_similarity(rows(UP, UP)) == pytest.approx(1)
    assert mean_similarity(rows(UP, RIGHT, ACROSS)) == pytest.approx(0)
    assert mean_similarity(rows(UP, UP, RIGHT)) == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="two rows"):
        mean_similarity(rows(UP))


def test_a_chunk_of_several_topics_is_told_from_one_of_one() -> None:
    given = chunks("a.md")
    apart = rows(UP, RIGHT, ACROSS, UP)
    (problem,) = several_topics(given, {0: apart, 1: rows(UP, UP, UP, RIGHT)}, most=0.2)
    assert problem.message.startswith("Chunk #1 (“A One thing is said here")
    assert problem.line == 1
    assert list(several_topics(given, {1: apart[:3]})) == []


def test_sentences_too_short_to_mean_something_are_left_out() -> None:
    _chunking, chunk = chunks("a.md")[0]
    assert sentences(chunk, "en") == ["One thing is said here, and then another."]
