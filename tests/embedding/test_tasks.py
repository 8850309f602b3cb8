"""Use cases: frozen requests in, frozen results out, with nothing heavy loaded on import."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from inspector import document_tasks, reading, vector_tasks
from inspector.core.document import document_from_text
from inspector.core.options import Options
from inspector.core.strategies.choices import Semantic, Window
from inspector.embedding import engines
from inspector.embedding.cache import input_digest
from inspector.embedding.models import bundled_model
from inspector.embedding.projection import Layout, MapFit
from inspector.export.records import document_record
from inspector.reading import counter_of, read_one, sentence_distances
from inspector.settings import Settings
from tests.fakes import HASH_MODEL, use_hash_encoder

ROOT = Path(__file__).parents[2]
HEAVY = ("PySide6", "torch", "umap", "numba", "sklearn", "transformers", "sentence_transformers", "pynndescent")


def loaded_after(code: str) -> set[str]:
    """Run code in a fresh interpreter and give the heavy packages it has loaded."""
    code += f"\nimport sys\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(result.stdout.split())


def test_importing_tasks_loads_nothing_heavy():
    assert loaded_after("import inspector.document_tasks, inspector.ui.workers") == set()


def test_looking_vectors_up_counting_and_pca_load_nothing_heavy(tmp_path):
    assert (
        loaded_after(
            f"""
import numpy as np
from inspector import document_tasks, vector_tasks
from inspector.embedding.models import bundled_model
from inspector.embedding.tokens import TokenCounter
model = bundled_model()
vector_tasks.run_cached_vectors(vector_tasks.CachedVectorsRequest(model, ("00" * 32,), {str(tmp_path)!r}))
vector_tasks.run_project(vector_tasks.ProjectRequest(np.eye(4, dtype=np.float32), "pca"))
TokenCounter(model).count(["some words"])
"""
        )
        == set()
    )


def test_encoding_reads_the_cache_first_and_writes_it(tmp_path, monkeypatch):
    encoder = use_hash_encoder(monkeypatch)
    first = vector_tasks.run_encode(vector_tasks.EncodeRequest(HASH_MODEL, ("a b", "c", "a b"), str(tmp_path)))
    assert (first.encoded, encoder.calls, first.engine) == (2, 2, "hash")
    assert first.digests == tuple(map(input_digest, ("a b", "c", "a b")))
    assert np.array_equal(first.vectors[0], first.vectors[2])
    assert not first.vectors.flags.writeable
    use_hash_encoder(monkeypatch)
    second = vector_tasks.run_encode(vector_tasks.EncodeRequest(HASH_MODEL, ("d", "c"), str(tmp_path)))
    assert second.encoded == 1
    assert np.array_equal(second.vectors[1], first.vectors[1])


def test_cached_vectors_come_in_the_order_asked_for(tmp_path, monkeypatch):
    use_hash_encoder(monkeypatch)
    made = vector_tasks.run_encode(vector_tasks.EncodeRequest(HASH_MODEL, ("a", "b"), str(tmp_path)))
    asked = (input_digest("b"), input_digest("missing"), input_digest("a"))
    found = vector_tasks.run_cached_vectors(vector_tasks.CachedVectorsRequest(HASH_MODEL, asked, str(tmp_path)))
    assert found.digests == (asked[0], asked[2])
    assert np.array_equal(found.vectors, made.vectors[::-1])
    none = vector_tasks.run_cached_vectors(vector_tasks.CachedVectorsRequest(HASH_MODEL, (), str(tmp_path)))
    assert none.vectors.shape == (0, 32)


def test_a_cache_that_cannot_be_used_is_said_once(tmp_path, monkeypatch):
    use_hash_encoder(monkeypatch)
    (tmp_path / "file").write_text("in the way")
    request = vector_tasks.EncodeRequest(HASH_MODEL, ("a",), str(tmp_path / "file" / "cache"))
    first, second = vector_tasks.run_encode(request), vector_tasks.run_encode(request)
    assert len(first.notices) == 1
    assert second.notices == ()
    assert second.encoded == 0


def test_a_blank_question_is_refused_before_a_model_is_loaded(monkeypatch):
    monkeypatch.setattr(engines, "open_encoder", lambda *_: pytest.fail("loaded"))
    with pytest.raises(ValueError, match="Type a question"):
        vector_tasks.run_encode_question(vector_tasks.EncodeQuestionRequest(HASH_MODEL, "  "))


def test_a_question_gets_the_models_prefix_and_is_counted_with_it(monkeypatch):
    from dataclasses import replace

    use_hash_encoder(monkeypatch)
    model = replace(HASH_MODEL, query_prefix="query: ", token_limit=8)
    asked = vector_tasks.EncodeQuestionRequest(model, " why so long then my friend ? ")
    result = vector_tasks.run_encode_question(asked)
    plain = vector_tasks.run_encode_question(vector_tasks.EncodeQuestionRequest(HASH_MODEL, "why"))
    assert result.question == "why so long then my friend ?"
    assert (result.count.tokens, result.is_truncated) == (11, True)
    assert (plain.count.tokens, plain.is_truncated) == (3, False)


def test_a_map_is_kept_and_given_back_until_a_new_one_is_asked_for(tmp_path, monkeypatch):
    use_hash_encoder(monkeypatch)
    matrix = np.random.default_rng(0).normal(size=(5, 32)).astype(np.float32)
    digests = tuple(map(input_digest, "abcde"))
    key = vector_tasks.LayoutKey(HASH_MODEL, "/posts", digests, str(tmp_path))
    assert vector_tasks.run_kept_layout(key) is None
    first = vector_tasks.run_project(vector_tasks.ProjectRequest(matrix, "pca", key=key))
    again = vector_tasks.run_project(vector_tasks.ProjectRequest(-matrix * 3, "pca", key=key))
    renewed = vector_tasks.run_project(vector_tasks.ProjectRequest(matrix * 3, "pca", key=key, renew=True))
    assert np.array_equal(first.coordinates, again.coordinates)
    assert np.allclose(renewed.coordinates, 3 * first.coordinates, atol=1e-4)
    assert vector_tasks.run_kept_layout(key).digests == digests
    with pytest.raises(ValueError, match="5 digests, but 4 vectors"):
        vector_tasks.run_project(vector_tasks.ProjectRequest(matrix[:4], "pca", key=key))


def test_another_way_to_fit_is_another_map(tmp_path, monkeypatch):
    use_hash_encoder(monkeypatch)
    matrix = np.random.default_rng(0).normal(size=(5, 32)).astype(np.float32)
    key = vector_tasks.LayoutKey(HASH_MODEL, "/posts", tuple(map(input_digest, "abcde")), str(tmp_path))
    other = replace(key, fit=MapFit(30, 0.5))
    vector_tasks.run_project(vector_tasks.ProjectRequest(matrix, "pca", key=key))
    assert vector_tasks.run_kept_layout(other) is None
    layout = Layout(matrix[:, :2], "umap")
    vector_tasks.run_keep_layout(vector_tasks.KeepLayoutRequest(other, layout))
    assert np.array_equal(vector_tasks.run_kept_layout(other).layout.coordinates, layout.coordinates)
    assert vector_tasks.run_kept_layout(key).layout.method == "pca"


def test_neighbours_found_once_serve_the_map_and_its_trust():
    matrix = np.random.default_rng(0).normal(size=(40, 32)).astype(np.float32)
    known = vector_tasks.run_neighbours(vector_tasks.NeighboursRequest(matrix, 14))
    fresh = vector_tasks.run_project(vector_tasks.ProjectRequest(matrix))
    layout = vector_tasks.run_project(vector_tasks.ProjectRequest(matrix, known=known))
    assert np.array_equal(layout.coordinates, fresh.coordinates)
    found = vector_tasks.run_survey(vector_tasks.SurveyRequest(matrix, layout.coordinates, known))
    assert 0.2 < found.mean <= 1
    placed = vector_tasks.run_place(vector_tasks.PlaceRequest(matrix[:3], matrix, layout.coordinates))
    assert np.allclose(placed, layout.coordinates[:3], atol=1e-3)
    start = layout.coordinates[:, ::-1]
    turned = vector_tasks.run_project(vector_tasks.ProjectRequest(matrix[:10], "pca", start=start[:10]))
    assert np.allclose(turned.coordinates.mean(axis=0), start[:10].mean(axis=0), atol=1e-4)


def test_requests_are_frozen_and_pickle():
    requests = [
        vector_tasks.EncodeRequest(bundled_model(), ("a",)),
        vector_tasks.CachedVectorsRequest(HASH_MODEL, ("00" * 32,)),
        vector_tasks.LoadModelRequest(HASH_MODEL),
        vector_tasks.EncodeQuestionRequest(HASH_MODEL, "why"),
        vector_tasks.ProjectRequest(np.zeros((2, 2), np.float32)),
        vector_tasks.NeighboursRequest(np.zeros((2, 2), np.float32), 1),
        vector_tasks.SurveyRequest(np.zeros((2, 2), np.float32), np.zeros((2, 2), np.float32)),
        vector_tasks.PlaceRequest(*[np.zeros((2, 2), np.float32)] * 3),
        vector_tasks.KeepLayoutRequest(
            vector_tasks.LayoutKey(HASH_MODEL, "/posts", ()), Layout(np.zeros((0, 2), np.float32), "pca")
        ),
    ]
    for request in requests:
        assert type(pickle.loads(pickle.dumps(request))) is type(request)
        assert request.__dataclass_params__.frozen
        assert all(not isinstance(getattr(request, item.name), (list, dict, set)) for item in fields(request))


@pytest.mark.model
def test_the_real_model_answers(tmp_path):
    model = bundled_model()
    loaded = vector_tasks.run_load_model(vector_tasks.LoadModelRequest(model))
    texts = ("Bread is baked in an oven.", "The engine drives the train.")
    made = vector_tasks.run_encode(vector_tasks.EncodeRequest(model, texts, str(tmp_path)))
    question = vector_tasks.run_encode_question(vector_tasks.EncodeQuestionRequest(model, "How do I bake a loaf?"))
    assert loaded.engine == made.engine == "sentence-transformers"
    assert made.revision == loaded.revision
    assert made.vectors @ question.vector @ np.array([1, -1]) > 0.2


def test_the_semantic_strategy_takes_its_distances_from_the_cache(tmp_path, monkeypatch):
    encoder = use_hash_encoder(monkeypatch)
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path))
    monkeypatch.setattr(reading, "find_model", lambda _name: HASH_MODEL)
    settings = Settings().choosing(Semantic(percentile=50))
    sentences = ("Cats purr.", "Cats sleep.", "Trains run late.")
    distances = sentence_distances(settings, sentences)
    assert len(distances) == 2 and all(0 <= distance <= 2.000001 for distance in distances)
    assert encoder.calls and sentence_distances(settings, sentences[:1]) == []
    again = use_hash_encoder(monkeypatch)
    assert sentence_distances(settings, sentences) == distances and not again.calls
    document = document_from_text("a.md", " ".join(sentences))
    read = read_one(document, settings, counter_of(settings), None)
    assert read.chunking.evidence.distances == tuple(distances)
    record = document_record(read.chunking, read.readings, HASH_MODEL, settings)
    assert len(record["distances"]) == 2 and record["strategy"] == "semantic"


@pytest.mark.model
def test_the_bundled_model_finds_where_the_topic_turns(tmp_path, monkeypatch):
    monkeypatch.setenv("CHUNK_INSPECTOR_CACHE", str(tmp_path))
    settings = Settings().choosing(Semantic(percentile=90))
    cats = "Cats purr when they are happy. A cat sleeps most of the day. Kittens play with balls of wool. "
    trains = "The train to London was late. Railway tickets are sold at the station. Trains stop at each platform."
    counter = counter_of(settings)
    read = read_one(document_from_text("a.md", cats + trains), settings, counter, None)
    assert [chunk.text for chunk in read.chunking.chunks] == [cats.strip(), trains]


def test_sizes_and_caps_of_other_strategies(tmp_path):
    (tmp_path / "a.md").write_text("## A\n\n" + "Some words of the post. " * 90, encoding="utf-8")
    settings = Settings().choosing(Window(100, 10))
    document_tasks.run_chunk(document_tasks.ChunkRequest(str(tmp_path), ("a.md",), settings))
    counted = document_tasks.run_count(document_tasks.CountRequest(str(tmp_path), settings))
    assert len(counted.chunks) == 6 and len(counted.sections) == 1
    assert document_tasks.run_fit(document_tasks.FitRequest(str(tmp_path), settings)).cap is None
    overlapping = Settings(options=Options(overlap=300))
    swept = document_tasks.run_sweep(document_tasks.SweepRequest(str(tmp_path), overlapping, 400))
    assert swept.chunks > 2 and swept.next is None


def test_the_largest_cap_with_nothing_unread_is_found_a_slice_at_a_time(tmp_path, monkeypatch):
    for number in range(4):
        sections = (f"## Part {part}\n\n" + f"Some {number} words of part {part}. " * 40 for part in range(5))
        (tmp_path / f"{number}.md").write_text("\n\n".join(sections), encoding="utf-8")
    settings = Settings(token_limit=120)
    names = tuple(f"{number}.md" for number in range(4))

    def unread(cap: int) -> int:
        trial = replace(settings, options=replace(settings.options, cap=cap))
        found = document_tasks.run_chunk(document_tasks.ChunkRequest(str(tmp_path), names, trial)).documents
        return sum(document.totals.unread_tokens for document in found)

    request = document_tasks.FitRequest(str(tmp_path), settings)
    assert unread(settings.options.cap) > 0
    whole = document_tasks.run_fit(request)
    assert whole.cap is not None and unread(whole.cap) == 0 and unread(whole.cap + 10) > 0
    monkeypatch.setattr(document_tasks, "SLICE_SECONDS", 1e-9)
    assert unread(settings.options.cap) > 0
    slices = [document_tasks.run_fit(request)]
    while not slices[-1].is_done:
        slices.append(document_tasks.run_fit(request))
    assert slices[-1] == whole and len(slices) > 8
    document_tasks.run_fit(request)
    (tmp_path / "0.md").write_text("## Another\n\n" + "word " * 400, encoding="utf-8")
    unread(settings.options.cap)
    assert document_tasks._search.request is None  # documents that are no more are not searched further
    found = document_tasks._unread
    monkeypatch.setattr(document_tasks, "_unread", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        document_tasks.run_fit(request)
    monkeypatch.setattr(document_tasks, "_unread", found)
    assert not document_tasks.run_fit(request).is_done  # it begins anew, and does not say that there is no cap
