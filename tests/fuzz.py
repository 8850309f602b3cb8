"""A long search for documents that break a law: `python -m tests.fuzz --minutes 30`."""

from __future__ import annotations

import argparse
import time

from hypothesis import HealthCheck, Phase, given, settings

from inspector.core.document import document_from_text
from inspector.core.laws import check_chunking
from inspector.core.options import Options
from inspector.core.strategies.choices import Choices
from inspector.core.strategies.headings import chunk_document
from inspector.core.strategies.registry import chunk_with
from tests.core.test_laws import outcome
from tests.strategies import TOOLS, choices, option_sets, texts, word_starts

EXAMPLES_A_ROUND = 500


def main() -> None:
    """Try documents until the time is over; a broken law is raised with the smallest document found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    minutes = parser.parse_args().minutes
    until = time.monotonic() + 60 * minutes
    tried = 0

    @given(texts, option_sets(), option_sets(), choices())
    @settings(
        max_examples=EXAMPLES_A_ROUND,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    def one_round(source: str, first: Options, second: Options, own: Choices) -> None:
        nonlocal tried
        tried += 1
        document = document_from_text("a.md", source)
        check_chunking(chunk_document(document, first))
        warm = chunk_document(document, second)
        check_chunking(warm)
        fresh = chunk_document(document_from_text("a.md", source.replace("\r\n", "\n").replace("\r", "\n")), second)
        assert outcome(warm) == outcome(fresh)
        check_chunking(chunk_with(document, first, own, TOOLS), word_starts)

    while time.monotonic() < until:
        one_round()
    print(f"{tried:,} documents in {minutes:g} minutes: every law holds")


if __name__ == "__main__":
    main()
