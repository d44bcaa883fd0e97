"""The threat model: every actor has threats, and what is promised has tests that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the table below a heading."""
    part = re.split(r"^## ", TEXT.partition(f"\n## {heading}\n")[2], flags=re.MULTILINE)[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@cache
def names_in(file: str) -> frozenset[str]:
    """Return the names of the functions of a file; none where it is gone."""
    if not (ROOT / file).is_file():
        return frozenset()
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def missing(cell: str) -> list[str]:
    """Return the tests of a cell that are not there; a cell without any is an error."""
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", cell)
    assert named, cell
    assert len(named) == len(cell.split()), cell
    return [f"{file}::{test}" for file, test in named if test not in names_in(file)]


def test_every_threat_has_its_tests() -> None:
    threats = rows("Threats")
    assert [row[0] for row in threats] == [str(number + 1) for number in range(len(threats))]
    assert {row[2]: missing(row[4]) for row in threats if missing(row[4])} == {}


def figures() -> dict[str, str]:
    """Return what the code allows, by the words of the table of figures."""
    from fabric.change import approvals
    from fabric.core.file_kinds import FileKind
    from fabric.devices import answers, limits
    from fabric.intent import cabling
    from fabric.intent.yaml import file, tree
    from fabric.programs import run
    from fabric.serve import guard, protocol, reviews
    from fabric.serve.settings import Limits
    from fabric.serve.turns import Shares

    def mib(count: int) -> str:
        return f"{count >> 20} MiB"

    def shared(count: int) -> str:
        return f"{count:,}, {Shares(count, '', '').share}"

    allowed = Limits()
    phases = (limits.LIMITS_S[name] for name in ("open", "stage", "commit"))
    head = f"{protocol.HEAD_S:g} s, {protocol.HEAD_BYTES >> 10} KiB, {protocol.HEADERS} headers"
    return {
        "a file of YAML": f"{mib(file.MAX_BYTES)}, {tree.MAX_DEPTH} levels",
        "a table of cables": f"{mib(FileKind.CABLING.most_bytes)}, {cabling.MAX_ROWS:,} rows",
        "a file": mib(FileKind.SOURCE.most_bytes),
        "an answer": mib(answers.LONGEST_ANSWER_CHARACTERS),
        "all answers to a reading of state": mib(answers.LONGEST_READING_CHARACTERS),
        "a login, an upload, a commit": ", ".join(f"{limit:,.0f} s" for limit in phases),
        "output of a program that we start": mib(run.MOST_BYTES),
        "a file of approvals": mib(approvals.MOST_BYTES),
        "head of a request": head,
        "body of a request, of a plan": f"{mib(allowed.body_bytes)}, {mib(guard.PLAN_BYTES)}",
        "time of a request": f"{allowed.request_s:g} s",
        "requests of an address and a token": f"{allowed.rate:,.0f} a second",
        "streams of events, of all and of a token": shared(allowed.streams),
        "slow requests that wait, of all and of a token": shared(allowed.waiting),
        "searches and changes that wait, of all and of a token": shared(allowed.queued),
        "plans that are being received, of all and of a token": shared(allowed.uploads),
        "plans that are kept, of all and of a person": (
            f"{reviews.MOST_PLANS}, {reviews.MOST_OF_A_PERSON}"
        ),
    }


def test_every_figure_is_that_of_the_code_and_has_its_tests() -> None:
    table = rows("Figures")
    assert {row[1]: row[2] for row in table} == figures()
    assert {row[1]: missing(row[3]) for row in table if missing(row[3])} == {}


#: What sentences promise, or say in figures, and the tests that hold it.
PROMISES = {
    "They get no shell and no secrets": (
        "`tests/programs/test_run.py::test_no_program_sees_a_secret`"
    ),
    "None of them needs a password, a token or an SSH agent, so none gets one": (
        "`tests/programs/test_run.py::test_no_program_sees_a_secret`"
    ),
    "Its configuration, attributes, hooks and filters start nothing": (
        "`tests/programs/test_hostile_repositories.py::test_no_verb_runs_what_a_repository_names`"
    ),
    "is read for `safe.directory` only": (
        "`tests/programs/test_git.py::test_what_belongs_to_others_needs_trust` "
        "`tests/programs/test_git.py::test_variables_and_settings_of_the_caller_change_nothing`"
    ),
    "the account that runs `plan`": (
        "`tests/change/test_demanded.py::test_a_name_is_that_of_the_account`"
    ),
    "`fabric.yaml` on the machine that applies": (
        "`tests/change/test_demanded.py::test_a_demand_that_comes_after_the_plan_counts`"
    ),
    "The journal shows edits": "`tests/change/test_journal_chain.py::test_every_column_is_covered`",
    "Two ends of a cable are compared": (
        "`tests/change/test_lab_runs.py::test_wrong_cable_is_reported_from_both_ends`"
    ),
    "of mode 0600 in a folder": (
        "`tests/reliability/test_canary.py::"
        "test_what_a_device_says_is_shown_without_canary_and_what_it_was_is_exact`"
    ),
    "of mode 0700, or the": (
        "`tests/reliability/test_canary.py::"
        "test_what_a_device_says_is_shown_without_canary_and_what_it_was_is_exact`"
    ),
    "has `***` in their place, and so have texts of devices": (
        "`tests/reliability/test_canary.py::test_no_verb_shows_a_canary` "
        "`tests/devices/test_redaction.py::test_what_a_device_says_has_no_secret`"
    ),
    "and no password, hash or key": (
        "`tests/reliability/test_canary.py::test_no_verb_shows_a_canary` "
        "`tests/change/test_lab_runs.py::test_secrets_stay_out_of_plan_and_journal`"
    ),
    "Dependencies are locked by hashes": "`tests/project/test_image.py::test_it_is_built`",
    "Their bytes can be built again": (
        "`tests/project/test_release.py::test_two_builds_have_the_same_bytes`"
    ),
}
#: Figures of what people do, which no test can hold.
OF_PEOPLE = ("within 7 days", "within 90 days")


def test_every_promise_has_its_tests() -> None:
    assert [words for words in PROMISES if words not in TEXT] == []
    assert {words: missing(cell) for words, cell in PROMISES.items() if missing(cell)} == {}


def test_every_line_with_a_figure_has_a_test() -> None:
    prose = [line for line in TEXT.splitlines() if not line.startswith(("|", "#"))]
    told = [line for line in prose if re.search(r"\d", line)]
    assert len(told) > 2
    known = (*PROMISES, *OF_PEOPLE)
    assert [line for line in told if not any(words in line for words in known)] == []


def test_a_test_that_is_gone_is_named() -> None:
    assert missing("`tests/project/test_security.py::test_gone`")
    assert missing("`tests/project/test_gone.py::test_gone`")
    assert missing("`tests/project/test_security.py::test_a_test_that_is_gone_is_named`") == []


def test_every_actor_has_a_threat() -> None:
    """A name in a threat may be shorter than in the table of who may do what."""
    actors = [row[0] for row in rows("Who is trusted with what")]
    named = {row[1] for row in rows("Threats")}
    assert len(actors) == 10
    assert [name for name in named if not any(actor.startswith(name) for actor in actors)] == []
    assert [actor for actor in actors if not any(actor.startswith(name) for name in named)] == []
