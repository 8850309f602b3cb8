"""What the rules are: their severity, why each matters, what it needs, and which an author has switched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from inspector.core.problems.problem import Severity


class Needs(StrEnum):
    """What a rule is handed."""

    FILE = "file"
    DOCUMENT = "document"
    CHUNKS = "chunks"
    TOKENS = "tokens"
    VECTORS = "vectors"


class Scope(StrEnum):
    """Where a rule looks: at each document by itself, or at all of a folder."""

    DOCUMENT = "document"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: `severity` is the worst it gives, `why` one sentence; an experimental one is off until asked for.

    A rule is on by default only where at least nine in ten of its hits in real documents were right.
    """

    code: str
    severity: Severity
    needs: Needs
    why: str
    scope: Scope = Scope.DOCUMENT
    is_experimental: bool = False


_ERROR, _WARNING, _NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE

_ALL = (
    Rule("unreadable", _ERROR, Needs.FILE,
         "A file that cannot be read is in no chunk."),
    Rule("binary", _ERROR, Needs.DOCUMENT,
         "A file that is no text has nothing to embed."),
    Rule("unclosed-fence", _ERROR, Needs.DOCUMENT,
         "All below an unclosed fence is code: its headings split nothing."),
    Rule("bad-bytes", _WARNING, Needs.DOCUMENT,
         "Bytes that are no text make unknown characters in chunks."),
    Rule("encoding-guessed", _WARNING, Needs.DOCUMENT,
         "Another program may guess another encoding and read other words."),
    Rule("nul", _WARNING, Needs.DOCUMENT,
         "Many programs stop reading at a NUL."),
    Rule("line-endings", _WARNING, Needs.DOCUMENT,
         "A splitter written for LF misses headings that end otherwise."),
    Rule("invisible-characters", _WARNING, Needs.DOCUMENT,
         "Words that look equal are not found when one holds a mark nobody sees."),
    Rule("front-matter", _WARNING, Needs.DOCUMENT,
         "Title, date and tags are lost where front matter cannot be read."),
    Rule("nesting", _WARNING, Needs.DOCUMENT,
         "Text nested too deeply is read as one plain block."),
    Rule("unclosed-comment", _WARNING, Needs.DOCUMENT,
         "A comment that is never closed stays in the text."),
    Rule("heading-lookalike", _WARNING, Needs.DOCUMENT,
         "A heading that is none to the parser splits nothing."),
    Rule("hash-without-space", _WARNING, Needs.DOCUMENT,
         "Without a blank after the hashes a heading is text and splits nothing."),
    Rule("accidental-setext", _WARNING, Needs.DOCUMENT,
         "A paragraph above a line of dashes becomes a heading and cuts a section.", is_experimental=True),
    Rule("broken-reference", _WARNING, Needs.DOCUMENT,
         "Brackets and labels of a link without an address are embedded as words."),
    Rule("long-title", _WARNING, Needs.DOCUMENT,
         "The title stands before every chunk: a long one leaves less room for each."),
    Rule("long-heading", _WARNING, Needs.CHUNKS,
         "A heading over a quarter of the cap is clipped where it is repeated."),
    Rule("no-chunk", _WARNING, Needs.CHUNKS,
         "A document without a chunk is never found."),
    Rule("giant-chunk", _WARNING, Needs.CHUNKS,
         "No common model reads so long a chunk to its end."),
    Rule("cut-mid-sentence", _WARNING, Needs.CHUNKS,
         "Half a sentence means little by itself, in either chunk."),
    Rule("cut-in-table", _WARNING, Needs.CHUNKS,
         "The rows of one table are found apart from each other."),
    Rule("truncated", _WARNING, Needs.TOKENS,
         "What stands past the model's limit is never embedded and never found."),
    Rule("unknown-tokens", _WARNING, Needs.TOKENS,
         "Text of which the model knows no part carries no meaning for it."),
    Rule("heading-in-fence", _NOTE, Needs.DOCUMENT,
         "A splitter that does not know fences cuts inside the code."),
    Rule("heading-too-long", _NOTE, Needs.DOCUMENT,
         "A heading is repeated in every piece of its section and crowds out the text."),
    Rule("skipped-level", _NOTE, Needs.DOCUMENT,
         "A heading below the levels that split begins no section of its own."),
    Rule("multiple-h1", _NOTE, Needs.DOCUMENT,
         "Each # after the first starts the trail anew."),
    Rule("no-headings", _NOTE, Needs.CHUNKS,
         "Without headings a long post is cut by length alone."),
    Rule("dropped", _NOTE, Needs.CHUNKS,
         "A dropped section is in no chunk and is never found."),
    Rule("folded", _NOTE, Needs.CHUNKS,
         "A folded section is found under the heading of the one before it."),
    Rule("cut-in-code", _NOTE, Needs.CHUNKS,
         "The lines of one code block are found apart from each other."),
    Rule("opens-with-pronoun", _NOTE, Needs.CHUNKS,
         "A reader of this chunk alone does not learn what “it” or “they” is."),
    Rule("duplicate-trail", _NOTE, Needs.CHUNKS,
         "Two answers with the same trail cannot be told apart.", is_experimental=True),
    Rule("runt", _NOTE, Needs.CHUNKS,
         "A few words alone are found for many questions and answer none.", is_experimental=True),
    Rule("near-duplicate", _NOTE, Needs.VECTORS,
         "Chunks that say the same take each other's place in every answer.", Scope.FOLDER),
    Rule("several-topics", _NOTE, Needs.VECTORS,
         "A chunk about several things is near to none of them.", is_experimental=True),
)  # fmt: skip

RULES: Mapping[str, Rule] = MappingProxyType({rule.code: rule for rule in _ALL})
"""Every rule, by the code of its problems."""

DEFAULT_RULES = frozenset(rule.code for rule in _ALL if not rule.is_experimental)
"""The codes of the rules that are on until an author says otherwise."""


@dataclass(frozen=True, slots=True)
class RuleChoice:
    """The rules that an author switched on or off, by their codes; a code in both is off."""

    enable: tuple[str, ...] = ()
    disable: tuple[str, ...] = ()

    @property
    def codes(self) -> frozenset[str]:
        """The codes of the rules that are on."""
        return (DEFAULT_RULES | frozenset(self.enable)) - frozenset(self.disable)

    @property
    def hidden(self) -> tuple[str, ...]:
        """The rules that would be on had the author not switched them off, in the order of the table."""
        return tuple(code for code in RULES if code in DEFAULT_RULES and code in self.disable)

    def without(self, code: str) -> RuleChoice:
        """Return the choice with a rule off."""
        enable = tuple(entry for entry in self.enable if entry != code)
        if code not in DEFAULT_RULES or code in self.disable:
            return RuleChoice(enable, self.disable)
        return RuleChoice(enable, (*self.disable, code))

    def including(self, code: str) -> RuleChoice:
        """Return the choice with a rule on."""
        disable = tuple(entry for entry in self.disable if entry != code)
        if code in DEFAULT_RULES or code in self.enable:
            return RuleChoice(self.enable, disable)
        return RuleChoice((*self.enable, code), disable)
