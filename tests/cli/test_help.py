"""Every command helps: what it does, its exit codes, an example, variables for its options."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
from collections import defaultdict

import pytest

from fabric.cli.groups import GROUPS
from tests.cli import tree
from tests.cli.runs import ROOT, clean_environment, process, run

HEAVY = ("numpy", "pydantic", "netmiko", "napalm", "networkx", "jinja2", "asyncssh", "yaml")
VERBS = {
    "init", "check", "show", "explain", "render", "plan", "apply", "rollback", "status", "verify",
    "drift", "observe", "cabling", "draw", "whatif", "place", "export", "lab", "demo", "probe",
    "ansible", "import", "prove", "audit", "diff", "accept", "report", "serve", "models", "adopt",
    "simulate", "judge", "completion", "man", "approve", "tenant", "adopt-serials",
    "first-contact", "replace", "expect", "suspect", "mcp",
}  # fmt: skip
#: Old names that still work.
HIDDEN = {"ansible"}
#: Words that are examples of a value, not a call that can run on its own.
NEEDS_A_LAB = {
    "adopt",
    "approve",
    "audit",
    "probe",
    "plan",
    "apply",
    "status",
    "rollback",
    "report",
    "verify",
    "drift",
    "lab up",
    "demo",
    "observe",
    "cabling",
    "judge",
    "import",
    "models add",
    "mcp",
    "adopt-serials",
    "first-contact",
    "replace",
    "tenant add",
    "tenant grant",
    "tenant revoke",
    "tenant move",
    "tenant remove",
    "tenant release-id",
}
#: The other commands, whose example runs on its own.
ALONE = (
    "init", "check", "render", "explain", "draw", "whatif", "simulate", "diff", "accept", "prove",
    "place", "export", "ansible", "serve", "completion", "man", "show topology", "show addresses",
    "show links", "show hosts", "show platforms", "show rules", "show schema", "show config",
    "show capacity", "show paths", "show ecn", "show buffer", "show dcqcn", "show ecmp",
    "expect", "suspect", "show deadlock", "show cable", "show tenants", "show defects", "lab down",
)  # fmt: skip


def test_the_verbs_are_there() -> None:
    assert {leaf.words[0] for leaf in tree.leaves()} == VERBS
    assert sorted(leaf.name for leaf in tree.leaves()) == sorted([*ALONE, *NEEDS_A_LAB])


def test_help_works_and_says_what_is_needed(subtests: pytest.Subtests) -> None:
    for leaf in tree.leaves():
        with subtests.test(leaf.name):
            ended = run(*leaf.words, "--help")
            assert (ended.code, ended.err) == (0, "")
            assert ended.out.startswith("Usage: rocefab " + leaf.name)
            assert "\n  Exit codes: " in ended.out
            assert f"Example: {leaf.example}" in " ".join(ended.out.split())
            assert leaf.exit_codes
            assert leaf.exit_codes <= {0, 1, 2, 3, 4, 5}
            assert run(*leaf.words, "-h") == ended


def test_options_have_a_variable_and_say_what_they_do() -> None:
    for option in (option for leaf in tree.leaves() for option in leaf.options):
        if (tree.BARE | tree.CONFIRMING) & set(option.opts):
            continue
        assert option.envvar, option.opts
        assert option.envvar.startswith("ROCEFAB_"), option.opts
        assert option.help, option.opts
        secret = any(word in option.name for word in ("password", "secret"))
        assert option.is_flag or not secret, "an option may ask for a secret, never take one"


def test_a_variable_means_the_same_everywhere() -> None:
    meanings = defaultdict(set)
    for leaf in tree.leaves():
        for option in leaf.options:
            if option.envvar:
                meanings[option.envvar].add(option.opts[0])
    assert {name: result for name, result in meanings.items() if len(result) > 1} == {}


def test_no_variable_and_no_default_confirms_a_risk() -> None:
    options = [option for leaf in tree.leaves() for option in leaf.options]
    results = {name for option in options for name in option.opts if name in tree.CONFIRMING}
    assert results == tree.CONFIRMING
    assert not [o.opts for o in options if tree.CONFIRMING & set(o.opts) and o.envvar]
    risky = [option for option in options if tree.CONFIRMING & set(option.opts)]
    assert {option.default for option in risky} <= {None, False, "0"}


def test_a_variable_has_the_same_choices_everywhere() -> None:
    choices = defaultdict(set)
    for leaf in tree.leaves():
        for option in leaf.options:
            if option.envvar:
                choices[option.envvar].add(option.type_descriptor.annotation)
    assert {name: result for name, result in choices.items() if len(result) > 1} == {}


def test_examples_have_options_that_exist(subtests: pytest.Subtests) -> None:
    for leaf in tree.leaves():
        with subtests.test(leaf.name):
            line = leaf.example.partition(" > ")[0]
            assert tree.find(shlex.split(line)[1:])[0].name == leaf.name
            assert tree.unknown_words(line) == []


@pytest.mark.parametrize("name", ALONE)
def test_examples_run(name: str, tmp_path) -> None:
    """As they stand, in a folder with our examples; the shell's redirection included."""
    leaf, _ = tree.find(name.split())
    (tmp_path / "inventory").symlink_to(ROOT / "inventory")
    words, _, target = leaf.example.partition(" > ")
    ended = process(*shlex.split(words)[1:], cwd=tmp_path)
    assert ended.code == 0, ended.err
    if target.endswith((".json", ".sarif")) or "json" in words:
        json.loads(ended.out)
    assert ended.out or ended.err.startswith("wrote ")


@pytest.mark.parametrize("words", [(), ("show",), ("lab",)])
def test_without_a_command_the_help_is_shown(words: tuple[str, ...]) -> None:
    ended = run(*words)
    assert ended.code == 2
    assert "Commands:" in ended.said or "Design:" in ended.said


@pytest.mark.parametrize("words", [(), ("show",), ("lab",)])
def test_no_line_of_a_command_list_is_cut(words: tuple[str, ...]) -> None:
    listed = run(*words, "--help").out.partition("-h, --help")[2]
    assert len(listed.splitlines()) > 3
    assert "..." not in listed


def test_each_command_is_in_one_group() -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(
        (VERBS | {"show"}) - HIDDEN
    )
    listed = run("--help").out
    assert [title for title in GROUPS if f"\n{title}:\n" in listed] == [*GROUPS]
    for names in GROUPS.values():
        assert [name for name in names if f"\n  {name} " not in listed] == []


def test_help_has_no_variables() -> None:
    """docs/reference/cli.md and the manual pages have them."""
    for leaf in tree.leaves():
        assert "[env var" not in run(*leaf.words, "--help").out


def test_version() -> None:
    ended = run("--version")
    assert ended.out.split() == ["rocefab", *ended.out.split()[1:]]
    assert ended.code == 0


def test_help_is_quick_to_load() -> None:
    """Nothing heavy is imported before a command needs it; the time is printed, not judged."""
    code = (
        "import sys, fabric.cli\n"
        "fabric.cli.main(['--help'])\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)\n"
    )
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=clean_environment(),
        check=True,
    )
    print(f"rocefab --help: {(time.perf_counter() - started) * 1000:.0f} ms")
    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize("words", [("--help",), ("show", "links", "inventory/demo"), ("bogus",)])
def test_nothing_is_coloured_in_a_pipe_even_when_asked_for(words: tuple[str, ...]) -> None:
    for wish in ({}, {"NO_COLOR": "1"}, {"FORCE_COLOR": "1", "NO_COLOR": "1"}):
        assert "\x1b" not in process(*words, **wish).said


def test_help_is_the_same_however_the_command_is_started() -> None:
    launcher = [sys.executable, str(ROOT / "rocefab_launcher.py"), "--help"]
    done = subprocess.run(
        launcher, capture_output=True, text=True, env=clean_environment(), check=True
    )
    assert done.stdout == process("--help").out
