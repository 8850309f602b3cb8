"""Hypothesis strategies that build nasty documents and options."""

from __future__ import annotations

from hypothesis import strategies as st

from inspector.core.options import CLEANABLE, Options

_WORDS = st.sampled_from(
    "the pump valve reads slowly. a pressure, of! water? Dr. 3.14 e.g. naïve 水闸日志。 ประปา नमस्ते 😀 👩‍👩‍👧‍👦 e\u0301 "
    "har\u200bbour x\u2028y a\x0cb مرحبا كيف؟ - * > # ## ` | [ ] ( ) < > & &amp; \\ $ $$ ! { } : ; \u0600 \u0300 "
    "https://example.org/a_(b) www.example.org <b> </b> <br> <T> <!-- --> ![i](u) [a](b) [a][r] [r] [^1] <http://x.y> "
    "<m@x.y> `code` ``a`b`` <script> </script> <img> \\# \u00a0 \U000e0041".split(" ")
)
_LINES = st.one_of(
    st.lists(_WORDS, min_size=0, max_size=14).map(" ".join),
    st.sampled_from(
        [
            "", "", "", "## Heading", "### Sub *heading* [x](y) {#id}", "# Title", "#### Inner", "## ", "Setext", "===", "---",
            "- item", "  - nested", "    continuation", "1. one", "> quote", "> ## in quote", "> - a", "```", "```sh", "~~~", "````",
            "   ```", "## not a heading", "    ## indented", "\t# tab", "| a | b |", "|---|---|", "| 1 \\| x | [z](q) | extra |",
            "$$", "# N = 1", "[r]: http://example.org 'title'", "[^1]: A note", "    its second paragraph", "<div>", "</div>",
            "<!-- open", "closed -->", "<pre>", "</pre>", "<details><summary>S</summary>", "![only](image.png)", "<http://alone.example>",
            "A paragraph that ends in a colon:", "***", "- - -", "+++", "{", "title: x", "\u200b## hidden", "##\u00a0nbsp", "x" * 120,
            "水闸" * 60, "👨‍👩‍👧‍👦" * 12, "word " * 40, "A sentence here. Another one! A third? " * 4,
        ]
    ),
)  # fmt: skip
_ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])


@st.composite
def documents(draw: st.DrawFn, ends: st.SearchStrategy[str] = _ENDS) -> str:
    """A document of lines that trip chunkers over, with any line ends."""
    head = draw(
        st.sampled_from(
            [
                "",
                "",
                "",
                "\ufeff",
                "---\ntitle: T\n---\n",
                "---\nlang: de\ntags: [a]\n---\n\n",
                "+++\ntitle='x'\n+++\n",
                '{"title": "j"}\n',
            ]
        )
    )
    lines = draw(st.lists(st.tuples(_LINES, ends), max_size=40))
    tail = draw(st.sampled_from(["", "tail", "\0", "```"]))
    return head + "".join(line + end for line, end in lines) + tail


texts = st.one_of(documents(), st.text(max_size=200), st.text(alphabet="#`->*[]()!<|\\$ \n\r\tab:", max_size=120))


@st.composite
def option_sets(draw: st.DrawFn) -> Options:
    """Options that make sense, small ones often, so that every rung is reached."""
    cap = draw(st.one_of(st.integers(40, 200), st.integers(40, 2000)))
    fold = draw(st.integers(0, cap))
    drop = draw(st.integers(0, fold))
    return Options(
        drop=drop,
        fold=fold,
        cap=cap,
        code_lines=draw(st.integers(0, 8)),
        split_levels=draw(st.frozensets(st.integers(1, 6), min_size=1)),
        stubs=draw(st.sampled_from(["drop", "fold"])),
        fold_into=draw(st.sampled_from(["previous", "related"])),
        addresses=draw(st.sampled_from(["lone", "remove"])),
        clean=draw(st.frozensets(st.sampled_from(CLEANABLE))),
    )
