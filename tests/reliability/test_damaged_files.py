"""10,000 mutations of real files: each ends in an input error or in a verdict.

Never in a traceback, a hang, or more memory than a laptop has.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reliability.mutations import mutated

ROOT = Path(__file__).parents[2]
MUTATIONS = 10_000
#: Processes that share the work, each with a limit of memory.
SHARES = 4
#: Of waiting, for one of them on a machine that is busy.
LONGEST_S = 600


@pytest.mark.parametrize("share", range(SHARES))
def test_no_mutation_is_a_traceback_a_hang_or_gigabytes(share: int) -> None:
    words = map(str, (MUTATIONS, share, SHARES))
    done = subprocess.run(
        [sys.executable, "-m", "tests.reliability.damaging", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST_S,
        cwd=ROOT,
    )
    *failures, last = done.stdout.splitlines() or [""]
    told = [f"{one['kind']} {one['number']}: {one['trace']}" for one in map(json.loads, failures)]
    assert told == [], told[0]
    assert last == "done", done.stderr[-2000:]


def test_each_file_is_read_as_it_is(tmp_path: Path) -> None:
    """What is mutated is a real file: its reader takes it."""
    from tests.reliability.damaging import subjects, write

    for kind, make in subjects().items():
        subject, folder = make(), tmp_path / kind
        write(folder, subject)
        subject.read(folder, folder / next(iter(subject.files)))


def test_a_mutation_is_the_same_each_time_and_another_file() -> None:
    content = b'{"a": [1, 2, 3]}\nline 2\n'
    once, again = (
        [mutated(content, random.Random(number), [b"x"]) for number in range(50)] for _ in range(2)
    )
    assert once == again
    assert len(set(once)) > 40
