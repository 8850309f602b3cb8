"""Hypothesis strategies that build nasty documents and options."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from hypothesis import strategies as st

from inspector.core.dialects import DIALECTS
from inspector.core.options import CLEANABLE, Options
from inspector.core.strategies.choices import (
    SEPARATORS,
    Choices,
    Paragraphs,
    Recursive,
    Semantic,
    Sentences,
    Window,
)
from inspector.core.strategies.registry import Tools

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
_SITE_WORDS = st.sampled_from(
    "{{< note >}} {{< /note >}} {{% tab `x` %}} {{< {{</* a */>}} >}} [a]({{<ref_'b'>}}) {{ x }} {{ {% if x %} {% endif %} {% raw %} {% endraw %} "
    "{# c #} {: .x #y} *a*{: .b} `c`{:.d} {::nomarkdown} {:/} {#id} {.x} {k=v} [[Page|alias]] [[Page#P]] [[a ![[b.png]] ![[ %%a%% %% ==x== == ^id1 "
    '[!NOTE] [!tip]- {/*c*/} {/* {" "} <Tab> </Tab> <A.b x={{y:1}}/> <> </> <img src={x}> <T {{jsxref("A.b")}} {{domxref(\'a\',"b")}} {{Compat}} '
    ":::tip ::: !!! \ufdd0 ~~~~~~~~ [!INCLUDE[x](y)]".split(" ")
)
_SITE_LINES = st.one_of(
    st.lists(st.one_of(_WORDS, _SITE_WORDS), min_size=1, max_size=10).map(" ".join),
    st.sampled_from(
        [
            "{{< highlight sh >}}",
            "{{< /highlight >}}",
            "- {{< highlight go >}}",
            "  {{< /highlight >}}",
            "{{< comment >}}",
            "{{< /comment >}}",
            "{% highlight ruby %}{% raw %}",
            "{% endraw %}{% endhighlight %}",
            "{% highlight sh %}",
            "{% endhighlight %}",
            "{% raw %}",
            "{% endraw %}",
            "{% comment %}",
            "{% endcomment %}",
            "{% include x.html",
            "a=b %}",
            "{{",
            "}}",
            "{: .x}",
            "* TOC",
            "{:toc}",
            "{::comment}",
            "{:/comment}",
            "## A {{< b >}} {#c}",
            "# {{ page.title }}",
            "## [[Note]] ==m==",
            "### {key=v}",
            "%%",
            "%%open",
            "^blockid",
            "> [!warning]- Title",
            "> [!NOTE]",
            ":::tip[Short]{.x}",
            "::: {.warning}",
            ":::",
            "::::",
            ":::image a=b:::",
            "    :::",
            "> ::: note",
            "[[toc]]",
            "[TOC]",
            '!!! note "Mk"',
            "!!! note",
            "    mk body",
            "    ## inner",
            '    !!! tip "Deep"',
            "        deep body",
            '=== "Tab"',
            "??? x",
            "import A from 'b'",
            "import {",
            "} from 'c'",
            "export const x = {",
            "}",
            "export default A",
            "<Tabs>",
            "</Tabs>",
            "  <Tab label={",
            "{{x: 1}}}>",
            "  </Tab>",
            "<>",
            "</>",
            "{/*",
            "*/}",
            "{{EmbedLiveSample('a', 1)}}",
            "| [[a\\|b]] | {{< x >}} |",
            "~~~~~~~~~~~~~~~~~~",
        ]
    ),
)
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
    line = draw(st.sampled_from([_LINES, _LINES, st.one_of(_LINES, _SITE_LINES), _SITE_LINES]))
    lines = draw(st.lists(st.tuples(line, ends), max_size=40))
    tail = draw(st.sampled_from(["", "tail", "\0", "```"]))
    return head + "".join(line + end for line, end in lines) + tail


@st.composite
def site_documents(draw: st.DrawFn) -> str:
    """A document full of the syntax of site generators, with any line ends."""
    head = draw(st.sampled_from(["", "import A from 'b'\n", "---\ntitle: T\n---\n"]))
    lines = draw(st.lists(st.tuples(st.one_of(_LINES, _SITE_LINES, _SITE_LINES), _ENDS), max_size=40))
    return head + "".join(line + end for line, end in lines)


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
        packing=draw(st.sampled_from(["greedy", "greedy", "balanced"])),
        overlap=draw(st.one_of(st.just(0), st.integers(0, cap - max(fold, 40)))),
        code_lines=draw(st.integers(0, 8)),
        split_levels=draw(st.frozensets(st.integers(1, 6), min_size=1)),
        stubs=draw(st.sampled_from(["drop", "fold"])),
        fold_into=draw(st.sampled_from(["previous", "related"])),
        addresses=draw(st.sampled_from(["lone", "remove"])),
        clean=draw(st.frozensets(st.sampled_from(CLEANABLE))),
        dialects=draw(st.one_of(st.just(frozenset()), st.frozensets(st.sampled_from(tuple(DIALECTS))))),
    )


def word_starts(text: str) -> list[int]:
    """A measure for tests: a unit is a run of letters and digits, or any other character that can be seen."""
    return [match.start() for match in re.finditer(r"\w+|[^\w\s]", text)]


def pretended_distances(texts: Sequence[str]) -> list[float]:
    """Distances for tests: how much the lengths of neighbours differ."""
    return [abs(len(a) - len(b)) / (1 + max(len(a), len(b))) for a, b in pairwise(texts)]


TOOLS = Tools(word_starts, pretended_distances)


@st.composite
def choices(draw: st.DrawFn) -> Choices:
    """The options of a strategy that cuts a text in one run, small ones often."""
    size = draw(st.one_of(st.integers(1, 30), st.integers(1, 600)))
    overlap = draw(st.integers(0, size - 1))
    unit = draw(st.sampled_from(["tokens", "characters"]))
    cleaned = draw(st.booleans())
    separators = tuple(draw(st.permutations(SEPARATORS))[: draw(st.integers(0, 5))])
    return draw(
        st.sampled_from(
            [
                Window(size, overlap, unit, cleaned),
                Sentences(size, overlap, unit, cleaned),
                Recursive(size, min(overlap, 99), unit, SEPARATORS, cleaned),
                Recursive(size, min(overlap, 99), unit, separators, cleaned),
                Paragraphs(draw(st.sampled_from([0, 0, 40])), cleaned),
                Semantic(40 + size, draw(st.integers(1, 100)), cleaned),
            ]
        )
    )
