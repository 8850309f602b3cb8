"""Counting tokens and finding where a model stops reading, with the target model's own tokenizer."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from inspector.embedding.models import Model, tokenizer_file
from inspector.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

REMEMBERED = 100_000  # counts kept in memory, about 30 MB
BATCH = 256  # texts tokenised at a time: bounds the memory that encodings take
SURROGATE = re.compile("[\ud800-\udfff]")  # tokenizers refuses a lone one; U+FFFD has the same length
REPLACEMENT = "\ufffd"
UNKNOWN_NAMES = ("[UNK]", "<unk>")


@dataclass(frozen=True, slots=True)
class TokenCount:
    """How a model reads one embedding input; offsets and characters in code points of that input.

    `tokens` includes the special ones; `unread_from` is where the first character that is not read stands, None when
    all is read; unknown tokens are those the vocabulary has no piece for, with the characters they stand for.
    """

    tokens: int
    limit: int
    unread_tokens: int = 0
    unread_from: int | None = None
    unknown_tokens: int = 0
    unknown_characters: int = 0

    @property
    def is_truncated(self) -> bool:
        """Whether the model leaves some of the input unread."""
        return self.unread_tokens > 0


class TokenCounter:
    """Counts embedding inputs with one model's tokenizer, truncation and padding switched off; remembers by text.

    `special_count` is how many tokens are put around each input, as [CLS] and [SEP].
    """

    def __init__(self, model: Model) -> None:
        """Load the tokenizer; a missing or broken file is a ModelError."""
        self.model = model
        self._tokenizer = load_tokenizer(model)
        self._tokenizer.no_truncation()  # the bundled file carries both, at 128
        self._tokenizer.no_padding()
        self.special_count = self._tokenizer.num_special_tokens_to_add(False)
        self._unknown_id = _unknown_id(self._tokenizer)
        self._memo: OrderedDict[bytes, TokenCount] = OrderedDict()

    @property
    def is_approximate(self) -> bool:
        """Whether the counts stand in for a tokenizer that is not here."""
        return self.model.is_approximate

    def count(self, inputs: Sequence[str]) -> list[TokenCount]:
        """Count each input, in order; equal texts are tokenised once."""
        keys = [_key(text) for text in inputs]
        found = {key: self._memo[key] for key in keys if key in self._memo}
        missing = {key: text for key, text in zip(keys, inputs, strict=True) if key not in found}
        fresh = list(missing.items())
        for start in range(0, len(fresh), BATCH):
            part = fresh[start : start + BATCH]
            texts = [replace_surrogates(text) for _, text in part]
            for (key, _), encoding in zip(part, self._tokenizer.encode_batch(texts), strict=True):
                found[key] = self._read(encoding)
        for key in dict.fromkeys(keys):
            self._memo[key] = found[key]
            self._memo.move_to_end(key)
        while len(self._memo) > REMEMBERED:
            self._memo.popitem(last=False)
        return [found[key] for key in keys]

    def starts(self, text: str) -> list[int]:
        """Return where each token of a text starts, in code points, rising; special tokens have no place in it."""
        encoding = self._tokenizer.encode(replace_surrogates(text), add_special_tokens=False)
        return [start for start, _end in encoding.offsets]

    def _read(self, encoding: Encoding) -> TokenCount:
        """Turn one encoding into counts; what is kept is the first `limit` less the special tokens."""
        tokens, limit = len(encoding), self.model.token_limit
        ids = encoding.ids
        unread_from = None
        unknown_tokens = unknown_characters = 0
        has_unknown = self._unknown_id is not None and self._unknown_id in ids
        if tokens > limit or has_unknown:
            offsets, sequences = (
                encoding.offsets,
                encoding.sequence_ids,
            )  # a special token belongs to no sequence
            content = [index for index, sequence in enumerate(sequences) if sequence is not None]
            if tokens > limit:
                unread_from = offsets[content[max(0, limit - self.special_count)]][0]
            if has_unknown:
                unknown = [offsets[index] for index in content if ids[index] == self._unknown_id]
                unknown_tokens = len(unknown)
                unknown_characters = sum(end - start for start, end in unknown)
        return TokenCount(tokens, limit, max(0, tokens - limit), unread_from, unknown_tokens, unknown_characters)


def load_tokenizer(model: Model) -> Tokenizer:
    """Load a model's tokenizer as its file says; a missing or broken file is a ModelError."""
    from tokenizers import Tokenizer

    file = tokenizer_file(model)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ModelError(f"{file} cannot be read: {error}. Choose another model.", subject=str(file)) from error
    try:
        return Tokenizer.from_str(text)
    except Exception as error:  # the library's own is no other
        why = str(error).partition("\n")[0]
        raise ModelError(f"{file} is not a tokenizer: {why}. Choose another model.", subject=str(file)) from error


def replace_surrogates(text: str) -> str:
    """Put U+FFFD for lone surrogates, which no tokenizer takes."""
    return SURROGATE.sub(REPLACEMENT, text)


def _key(text: str) -> bytes:
    """Give a short key for a text, so that the memo holds no texts."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _unknown_id(tokenizer: Tokenizer) -> int | None:
    """Find the id of the token that stands for what the vocabulary lacks, None where it lacks nothing."""
    names = (getattr(tokenizer.model, "unk_token", None), *UNKNOWN_NAMES)
    return next((found for name in names if name and (found := tokenizer.token_to_id(name)) is not None), None)
