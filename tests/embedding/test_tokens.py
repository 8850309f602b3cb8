"""Token counts are those of the model, and the mark stands where it stops reading."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from inspector.embedding import tokens
from inspector.embedding.models import KNOWN_MODELS, local_model
from inspector.embedding.tokens import TokenCounter
from inspector.errors import ModelError
from tests.embedding.conftest import prose


def test_special_tokens_count(counter):
    assert [count.tokens for count in counter.count(["", "hello", "hello hello"])] == [2, 3, 4]


def test_truncation_and_padding_of_the_file_are_off(counter):
    assert counter.count(["word " * 500])[0].tokens == 502


@pytest.mark.parametrize("limit", [256, 512])
def test_the_unread_part_begins_at_the_first_token_past_the_limit(bundled, limit):
    text = "word " * 600
    count = TokenCounter(replace(bundled, token_limit=limit)).count([text])[0]
    assert (count.tokens, count.unread_tokens) == (602, 602 - limit)
    assert count.unread_from == 5 * (limit - 2)
    assert count.is_truncated


def test_all_read_has_no_mark(counter):
    exact, over = counter.count(["word " * 254, "word " * 255])
    assert (exact.tokens, exact.unread_from, exact.unread_tokens) == (256, None, 0)
    assert (over.unread_tokens, over.unread_from) == (1, 254 * 5)


@pytest.mark.parametrize("stuffing", ["😀 ", "e\u0301 ", "日", "👩‍👩‍👧 ", "\u200b", "\r\n", "ﬁ "])
def test_the_mark_counts_code_points(bundled, stuffing):
    small = TokenCounter(replace(bundled, token_limit=40))
    head = stuffing * 10
    used = small.count([head])[0].tokens - 2
    kept = 38 - used
    text = head + "word " * 60
    count = small.count([text])[0]
    assert count.unread_from == len(head) + 5 * kept
    assert text[count.unread_from :].startswith("word ")


def test_unknown_tokens_carry_the_characters_they_stand_for(counter):
    known, emoji, long = counter.count(["plain", "a 😀😀 b 𓀀", "x" * 120])
    assert (known.unknown_tokens, known.unknown_characters) == (0, 0)
    assert (emoji.unknown_tokens, emoji.unknown_characters) == (2, 3)
    assert (long.unknown_tokens, long.unknown_characters) == (1, 120)


def test_special_tokens_written_in_the_text_are_content(bundled):
    small = TokenCounter(replace(bundled, token_limit=10))
    count = small.count(["[SEP] [CLS] " * 10])[0]
    assert count.tokens == 22
    assert count.unread_from == 48


def test_a_lone_surrogate_is_counted_and_moves_no_offset(bundled):
    small = TokenCounter(replace(bundled, token_limit=10))
    lone, replaced = small.count(["x\ud83dy " + "word " * 20, "x\ufffdy " + "word " * 20])
    assert lone == replaced


def test_equal_texts_are_tokenised_once_and_remembered(bundled, monkeypatch):
    counter = TokenCounter(bundled)
    seen: list[str] = []
    batch = counter._tokenizer.encode_batch

    class Spy:
        def encode_batch(self, texts):
            seen.extend(texts)
            return batch(texts)

    monkeypatch.setattr(counter, "_tokenizer", Spy())
    first = counter.count(["a b", "c", "a b"])
    assert counter.count(["c", "a b", "d"])[:2] == [first[1], first[0]]
    assert sorted(seen) == ["a b", "c", "d"]


def test_memory_is_bounded(bundled, monkeypatch):
    monkeypatch.setattr(tokens, "REMEMBERED", 10)
    monkeypatch.setattr(tokens, "BATCH", 4)
    counter = TokenCounter(bundled)
    counts = counter.count([f"{'word ' * number}" for number in range(25)])
    assert [count.tokens for count in counts] == [number + 2 for number in range(25)]
    assert len(counter._memo) == 10


def test_known_targets_are_counted_with_the_bundled_vocabulary(counter):
    text = prose(3, 300)
    bge = TokenCounter(KNOWN_MODELS["BAAI/bge-base-en-v1.5"]).count([text])[0]
    assert bge.tokens == counter.count([text])[0].tokens
    assert bge.limit == 512


def test_a_file_that_is_no_tokenizer_is_named(tmp_path, bundled):
    for content in (b"{", b"{}", b"[]", b'{"model": {}}', b'{"model": {"type": "none"}}', b"\xff\xfe", b""):
        (tmp_path / "tokenizer.json").write_bytes(content)
        with pytest.raises(ModelError, match=r"tokenizer\.json"):
            TokenCounter(replace(bundled, vocabulary="own", path=str(tmp_path)))


@pytest.mark.model
def test_the_library_that_encodes_counts_the_same(encoder, counter):
    texts = [prose(seed, 5 + seed * 20) for seed in range(25)]
    texts += ["a😀b [SEP] hé e\u0301 \u200b 日本 ﬁ [UNK]", "x" * 200 + " y", "", "TITLE\n\nText\twith  blanks"]
    for text, count in zip(texts, counter.count(texts), strict=True):
        features = encoder.network.preprocess([text])
        assert int(features["attention_mask"].sum()) == min(count.tokens, count.limit), text


@pytest.mark.model
@pytest.mark.parametrize("seed", range(2))
def test_the_vector_ignores_all_after_the_mark_and_nothing_before_it(encoder, counter, seed):
    text = "😀 e\u0301 " * seed + prose(seed, 400)
    mark = counter.count([text])[0].unread_from
    read = text[:mark].rstrip()
    other_end = read + " " + prose(seed + 100, 150)
    last_word_start = read.rindex(" ") + 1
    other_word = read[:last_word_start] + "zebra " + text[mark:]
    vector, after, before = (encoder.encode([one])[0] for one in (text, other_end, other_word))
    assert np.abs(vector - after).max() < 1e-6
    assert np.abs(vector - before).max() > 1e-5


@pytest.mark.model
def test_a_local_model_is_counted_with_its_own_tokenizer(tiny_model_folder):
    count = TokenCounter(local_model(tiny_model_folder)).count(["word " * 100])[0]
    assert (count.tokens, count.limit, count.unread_from) == (102, 64, 62 * 5)
