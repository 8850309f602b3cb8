"""The command line prints the records it promises, in ASCII, and says in one line what is wrong."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector.__main__ import main
from inspector.core.options import CLEANABLE

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "resources" / "sample"
CHUNK_KEYS = {
    "document", "index", "title", "trail", "text", "characters", "spans", "lines", "starts_at", "folded", "tokens",
    "token_limit", "unread_tokens", "unread_from", "unknown_tokens", "model", "context", "embedding_input", "pieces",
    "metadata", "file_sha256", "id",
}  # fmt: skip
DOCUMENT_KEYS = {
    "document", "title", "encoding", "line_endings", "characters", "headings", "removed", "kept", "chunks", "problems",
}  # fmt: skip
RUNGS = {"document", "section", "paragraph", "sentence", "line", "word", "character"}
POST = (
    "---\ntitle: A post\ndate: 2024-05-01\n---\n\n# A post\n\n## First\n\n"
    + "Caf\u00e9 words \u2028 with odd \U0001f600 marks. " * 30
    + "\n\n### Deep\n\n"
    + "A [link](https://example.org) in it. " * 40
    + "\n\n## Stub\n\nShort.\n"
)


def run(*arguments: str | Path, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the real program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "inspector", *map(str, arguments)],
        cwd=ROOT,
        input=stdin,
        capture_output=True,
        env={**os.environ, **environment},
        timeout=60,
    )


def run_here(*arguments: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run the same entry point in this process, which starts sooner."""
    output, errors = (io.TextIOWrapper(io.BytesIO(), encoding, newline="\n") for encoding in ("ascii", "utf-8"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["chunk-inspector", *map(str, arguments)])
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        patch.setattr(sys, "stdout", output)
        patch.setattr(sys, "stderr", errors)
        code = main()
    for stream in (output, errors):
        stream.flush()
    return subprocess.CompletedProcess(arguments, code, output.buffer.getvalue(), errors.buffer.getvalue())


def records(*arguments: str | Path, stdin: bytes = b"") -> list[dict[str, Any]]:
    """Run it and read its records."""
    done = run_here(*arguments, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.decode("ascii").splitlines()]


def refused(*arguments: str | Path, stdin: bytes = b"") -> str:
    """Run what is refused: exit code 2 and one line."""
    done = run_here(*arguments, stdin=stdin)
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 2 and len(lines) == 1 and lines[0].startswith("chunk-inspector: "), (done, lines)
    return lines[0].removeprefix("chunk-inspector: ")


def normal(text: str) -> str:
    """Make every line end an LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


@pytest.fixture
def post(tmp_path: Path) -> Path:
    path = tmp_path / "post.md"
    path.write_text(POST, encoding="utf-8", newline="\r\n")
    return path


# The records


def test_chunk_records_have_all_keys_and_stand_in_the_source() -> None:
    found = records("chunk", SAMPLE)
    assert len(found) > 50 and len({record["id"] for record in found}) == len(found)
    for record in found:
        assert set(record) >= CHUNK_KEYS
        source = (SAMPLE / record["document"]).read_bytes().decode("utf-8")
        assert record["characters"] == len(record["text"]) and record["starts_at"] in RUNGS
        assert record["embedding_input"].endswith(record["text"]) and record["context"] == "title"
        for start, end in record["spans"]:
            assert normal(source[start:end]) in record["text"]
        text = "".join(
            piece["text"] if "text" in piece else normal(source[slice(*piece["span"])]) for piece in record["pieces"]
        )
        assert text == record["text"] and all("why" in piece for piece in record["pieces"] if "text" in piece)
        assert (record["unread_tokens"] > 0) == (record["unread_from"] is not None)
        assert record["unread_tokens"] == max(0, record["tokens"] - record["token_limit"])
        first, last = record["lines"]
        start, end = record["spans"][0][0], record["spans"][-1][1]
        ends = source.replace("\r\n", " \n").replace("\r", "\n")
        assert (first, last) == (ends[:start].count("\n") + 1, ends[: end - 1].count("\n") + 1)


def test_inspect_records_account_for_every_character() -> None:
    found = records("inspect", SAMPLE)
    assert len(found) == 23
    for record in found:
        assert set(record) >= DOCUMENT_KEYS
        removed = sum(end - start for start, end in (entry["span"] for entry in record["removed"]))
        assert record["kept"] + removed == record["characters"]
        assert set(record["line_endings"]) == {"lf", "crlf", "cr"}
        assert all(set(heading) >= {"level", "text", "line", "span", "splits"} for heading in record["headings"])
        assert all(set(entry) >= {"span", "lines", "reason"} for entry in record["removed"])
        keys = {"code", "severity", "message", "span", "line", "fix"}
        assert all(set(problem) >= keys for problem in record["problems"])
        assert all(set(chunk) >= CHUNK_KEYS for chunk in record["chunks"])


def test_inspect_applies_the_rules_that_the_folder_wants(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("## A\n\n#### B\n\ntext\n", encoding="utf-8")
    assert {problem["code"] for problem in records("inspect", tmp_path)[0]["problems"]} == {
        "dropped", "no-chunk", "skipped-level",
    }  # fmt: skip
    settings = '[problems]\nenable = ["runt"]\ndisable = ["dropped", "skipped-level"]\n'
    (tmp_path / "chunk-inspector.toml").write_text(settings, encoding="utf-8")
    meta, record = records("inspect", tmp_path, "--meta")
    assert {problem["code"] for problem in record["problems"]} == {"no-chunk"}
    assert meta["settings"]["problems"] == {"enable": ["runt"], "disable": ["dropped", "skipped-level"]}
    record = records("inspect", tmp_path, "--enable", "dropped", "--disable", "no-chunk,runt")[0]
    assert {problem["code"] for problem in record["problems"]} == {"dropped"}


def test_chunk_and_inspect_say_the_same() -> None:
    nested = [chunk for record in records("inspect", SAMPLE) for chunk in record["chunks"]]
    assert nested == records("chunk", SAMPLE)


def test_output_is_ascii_whatever_the_source(post: Path) -> None:
    done = run("chunk", post, PYTHONIOENCODING="ascii")
    assert done.stdout.isascii() and b"\\u2028" in done.stdout and b"\\ud83d\\ude00" in done.stdout
    assert done.stdout.count(b"\n") == len(done.stdout.decode().splitlines())


def test_standard_input_is_a_document(post: Path) -> None:
    from_input = [json.loads(line) for line in run("chunk", "-", stdin=post.read_bytes()).stdout.splitlines()]
    from_file = records("chunk", post)
    assert [record["text"] for record in from_input] == [record["text"] for record in from_file]
    assert {record["document"] for record in from_input} == {"-"}
    assert {record["document"] for record in from_file} == {"post.md"}
    assert from_file[0]["metadata"]["title"] == "A post" and "2024-05-01" in from_file[0]["metadata"]["date"]


def test_meta_is_the_first_line(post: Path) -> None:
    first, *rest = records("chunk", post, "--meta", "--cap", "900", "--model", "intfloat/e5-small-v2")
    assert first["chunk_inspector"] and first["settings"]["cap"] == 900 and first["settings"]["drop"] == 80
    assert first["settings"]["model"] == "intfloat/e5-small-v2" and first["settings"]["token_limit"] == 512
    assert set(rest[0]) >= CHUNK_KEYS


@pytest.mark.parametrize(
    ("options", "holds"),
    [
        (["--drop", "0"], lambda r: any("Short." in c["text"] for c in r)),
        (["--fold", "1200"], lambda r: r[0]["folded"] == [["First", "Deep"]] or len(r) < 3),
        (["--cap", "400"], lambda r: all(c["characters"] <= 400 for c in r)),
        (["--split-levels", "2"], lambda r: all("Deep" not in c["trail"][:1] for c in r)),
        (["--stubs", "fold"], lambda r: any("Short." in c["text"] for c in r)),
        (["--clean", "none"], lambda r: any("https://example.org" in c["text"] for c in r)),
        (["--clean", "image,html"], lambda r: any("https://example.org" in c["text"] for c in r)),
        (["--clean", ",".join(CLEANABLE)], lambda r: not any("example.org" in c["text"] for c in r)),
        (["--context", "none"], lambda r: all(c["embedding_input"] == c["text"] for c in r)),
        (["--context", "title+trail"], lambda r: r[0]["embedding_input"].startswith("A post\nFirst\n\n")),
        (["--token-limit", "40"], lambda r: all(c["token_limit"] == 40 for c in r) and r[0]["unread_from"] > 0),
        (["--model", "sentence-transformers/all-MiniLM-L6-v2"], lambda r: all(c["token_limit"] == 256 for c in r)),
        (["--strategy", "headings", "--format", "jsonl", "--lang", "de"], lambda r: len(r) > 1),
        (["--fold-into", "related", "--code-lines", "2", "--addresses", "remove"], lambda r: len(r) > 1),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_each_option_counts(post: Path, options: list[str], holds: Any) -> None:
    assert holds(records("chunk", post, *options))


def test_files_folders_and_several_paths_in_the_order_given(tmp_path: Path, post: Path) -> None:
    folder = tmp_path / "site"
    (folder / "deep").mkdir(parents=True)
    for name in ("b.md", "a10.md", "a2.md", "deep/c.md"):
        (folder / name).write_text(POST)
    (folder / "draft.md").write_text("---\ndraft: true\n---\n" + POST)
    names = [record["document"] for record in records("inspect", post, folder, folder / "deep" / "c.md")]
    assert names == ["post.md", "a2.md", "a10.md", "b.md", "deep/c.md", "c.md"]
    assert "draft.md" in [record["document"] for record in records("inspect", folder, "--drafts")]
    assert [record["document"] for record in records("inspect", folder / "draft.md")] == ["draft.md"]


def test_settings_come_from_the_folder_or_from_config(tmp_path: Path, post: Path) -> None:
    (tmp_path / "chunk-inspector.toml").write_text("[headings]\ncap = 600\n")
    (tmp_path / "other.toml").write_text("[headings]\ncap = 500\nfold = 100\n")
    assert records("chunk", tmp_path, "--meta")[0]["settings"]["cap"] == 600
    assert records("chunk", tmp_path, "--meta", "--cap", "700")[0]["settings"]["cap"] == 700
    assert records("chunk", post, "--meta", "--config", tmp_path / "other.toml")[0]["settings"]["cap"] == 500


# What is refused


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chunk"], "Missing argument"),
        (["chunk", "no such file.md"], "no such file or folder"),
        (["chunk", "{post}", "--cap", "30"], "--cap"),
        (["chunk", "{post}", "--drop", "900"], "--drop"),
        (["chunk", "{post}", "--fold", "5000"], "--fold"),
        (["chunk", "{post}", "--cap", "many"], "--cap"),
        (["chunk", "{post}", "--clean", "everything"], "--clean"),
        (["chunk", "{post}", "--stubs", "keep"], "--stubs"),
        (["chunk", "{post}", "--split-levels", "two"], "--split-levels"),
        (["chunk", "{post}", "--split-levels", "9"], "--split-levels"),
        (["chunk", "{post}", "--context", "all"], "--context"),
        (["chunk", "{post}", "--strategy", "magic"], "--strategy"),
        (["chunk", "{post}", "--format", "xml"], "--format"),
        (["chunk", "{post}", "--token-limit", "3"], "--token-limit"),
        (["chunk", "{post}", "--model", "someone/nothing"], "No model at someone/nothing"),
        (["chunk", "{post}", "--config", "nowhere.toml"], "nowhere.toml"),
        (["chunk", "{post}", "--no-such-option"], "--no-such-option"),
        (["inspect", "{empty}"], "holds no markdown"),
        (["open", "{empty}/nothing"], "no such file or folder"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_use_is_one_line_and_code_2(post: Path, tmp_path: Path, arguments: list[str], words: str) -> None:
    (tmp_path / "empty").mkdir()
    places = {"post": post, "empty": tmp_path / "empty"}
    assert words in refused(*(argument.format(**places) for argument in arguments))


def test_one_unreadable_file_does_not_stop_the_others(tmp_path: Path, post: Path) -> None:
    (tmp_path / "binary.md").write_bytes(bytes(range(256)) * 20)
    done = run("chunk", tmp_path / "binary.md", tmp_path / "gone.md", post)
    assert done.returncode == 2
    assert len(done.stdout.splitlines()) == 2
    assert [line.split(b": ", 1)[1] for line in done.stderr.splitlines()] == [
        b"binary.md is binary, not text",
        f"{tmp_path / 'gone.md'}: no such file or folder".encode(),
    ]


def test_help_and_version_are_answered() -> None:
    for arguments in (["--help"], ["chunk", "--help"], ["--version"]):
        done = run(*arguments)
        assert done.returncode == 0 and done.stdout and not done.stderr
    assert run("--version").stdout.startswith(b"chunk-inspector ")


def test_a_reader_that_leaves_early_is_no_error() -> None:
    command = f'"{sys.executable}" -m inspector inspect "{SAMPLE}" | head -c 100; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, timeout=60)
    assert done.stderr == b"" and done.stdout.endswith(b"0\n")


# What is loaded


@pytest.mark.parametrize(
    "module", ["inspector.document_tasks", "inspector.vector_tasks", "inspector.cli", "inspector", "inspector.__main__"]
)
def test_nothing_heavy_is_imported(module: str) -> None:
    heavy = ("PySide6", "torch", "umap", "numba", "sklearn", "sentence_transformers", "transformers")
    script = f"import sys, {module}\nprint([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr


def test_a_run_loads_nothing_heavy_either(post: Path) -> None:
    script = (
        "import sys\nfrom inspector.cli import run\n"
        f"code = run(['chunk', {str(post)!r}])\n"
        "print([n for n in ('PySide6', 'torch', 'umap', 'numba', 'sklearn') if n in sys.modules], file=sys.stderr)\n"
        "sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr.strip() == "[]"


def test_the_options_by_which_a_bundle_knows_its_helpers_are_set_before_they_are_told_apart() -> None:
    script = (
        "import multiprocessing, sys\nfrom multiprocessing.util import _args_from_interpreter_flags as flags\n"
        "seen = []\nmultiprocessing.freeze_support = lambda: seen.append(flags())\n"
        "sys.argv = ['chunk-inspector', '--version']\n"
        "from inspector.__main__ import main\nmain()\nimport inspector.ui.runner\nassert seen == [flags()], seen\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
