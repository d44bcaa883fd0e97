"""Defaults in files: which counts, what is refused, and where a value is from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabric.cli.config import _Reader
from tests.cli import tree
from tests.cli.runs import DEMO, process

#: name: (text of rocefab.toml, the message)
WRONG = {
    "commit": (
        "[apply]\ncommit = true\n",
        "rocefab.toml:2:1: apply.commit: cannot have a default in a file",
    ),
    "approvals": (
        '[apply]\napprovals = "x.json"\n',
        "rocefab.toml:2:1: apply.approvals: cannot have a default in a file",
    ),
    "force": (
        "[render]\n\nforce = true\n",
        "rocefab.toml:3:1: render.force: cannot have",
    ),
    "where passwords go": (
        '[verify]\nconnections = "theirs.json"\n',
        "rocefab.toml:2:1: verify.connections: cannot be set by a project",
    ),
    "where the journal goes": (
        '[apply]\nstate = "postgresql://theirs/journal"\n',
        "rocefab.toml:2:1: apply.state: cannot be set by a project",
    ),
    "who works": (
        '[check]\nworkers = "dask://theirs:8786"\n',
        "rocefab.toml:2:1: check.workers: cannot be set by a project",
    ),
    "unknown option": (
        '[check]\nfail_on = "info"\n',
        "rocefab.toml:2:1: check.fail_on: unknown option; did you mean 'fail-on'?",
    ),
    "unknown command": (
        "[checks]\n",
        "checks: unknown command; did you mean 'check'?",
    ),
    "unknown word of the root": (
        'colour = "never"\n',
        "1:1: colour: unknown option; did you",
    ),
    "no choice": (
        '[check]\nfail-on = "worst"\n',
        "check.fail-on: 'worst' is not one of 'error', 'warning', 'info'",
    ),
    "no number": ('[observe]\ninterval-s = "often"\n', "rocefab.toml:2:1: observe.interval-s: "),
    "out of range": ("[place]\nnodes = 0\n", "rocefab.toml:2:1: place.nodes: "),
    "no list": ('[check]\nignore = "QOS001"\n', "check.ignore: use a list of values"),
    "no path": ("[render]\nout = 3\n", "render.out: 3 is not a path"),
    "no flag": ('[check]\nfresh = "yes"\n', "check.fresh: 'yes' is not a value of it"),
    "no TOML": ("[check]\nfail-on = \n", "rocefab.toml:2:1: not TOML: "),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with our examples, and a folder inside."""
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    (tmp_path / "repository" / "inside").mkdir()
    (tmp_path / "repository" / "inventory").symlink_to(DEMO.parent)
    (tmp_path / "home" / "rocefab").mkdir(parents=True)
    return tmp_path / "repository"


def rocefab(folder: Path, *words: object, **variables: str):
    return process(*words, cwd=folder, XDG_CONFIG_HOME=str(folder.parents[0] / "home"), **variables)


def test_option_then_environment_then_project_then_user(folder: Path) -> None:
    show = ("show", "links", "inventory/demo")
    user = folder.parent / "home" / "rocefab" / "config.toml"
    user.write_text('[show.links]\nformat = "json"\n')
    assert rocefab(folder, *show).out.startswith("[")
    (folder / "rocefab.toml").write_text('[show.links]\nformat = "text"\n')
    assert rocefab(folder, *show).out.startswith("device ")
    assert rocefab(folder, *show, ROCEFAB_FORMAT="json").out.startswith("[")
    assert rocefab(folder, *show, "--format", "text", ROCEFAB_FORMAT="json").out.startswith(
        "device "
    )


def test_a_variable_with_the_name_of_its_command_is_named(folder: Path) -> None:
    ended = rocefab(folder, "check", "inventory/demo", ROCEFAB_CHECK_FAIL_ON="info")
    assert ended.code == 0
    assert "ROCEFAB_CHECK_FAIL_ON sets nothing; the variable of the option is ROCEFAB_FAIL_ON" in (
        ended.err
    )
    ended = rocefab(folder, "check", "inventory/demo", ROCEFAB_CHECK_FORMAT="json")
    assert "sets nothing" not in ended.err


def test_a_parent_up_to_the_repository_counts(folder: Path) -> None:
    text = '[check]\nfail-on = "info"\ninventory = "inventory/demo"\n'
    (folder / "rocefab.toml").write_text(text)
    assert rocefab(folder / "inside", "check").code == 4
    (folder / "rocefab.toml").rename(folder.parent / "rocefab.toml")
    assert process("check", DEMO, cwd=folder / "inside").code == 0


@pytest.mark.parametrize("case", WRONG)
def test_wrong_files_are_refused_by_line(folder: Path, case: str) -> None:
    text, message = WRONG[case]
    (folder / "rocefab.toml").write_text(text)
    ended = rocefab(folder, "check", "inventory/demo")
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
    assert "internal error" not in ended.err


def test_a_user_says_where_passwords_go(folder: Path) -> None:
    user = folder.parent / "home" / "rocefab" / "config.toml"
    user.write_text('[verify]\nconnections = "mine.json"\n')
    (row,) = json.loads(rocefab(folder, "show", "config", "--format", "json").out)
    assert (row["option"], row["from"]) == ("connections", f"{user}:2")


def test_no_option_that_confirms_a_risk_has_a_default(folder: Path) -> None:
    lines = {
        f"[{leaf.name.replace(' ', '.')}]\n{name.removeprefix('--')} = true\n"
        for leaf in tree.leaves()
        for option in leaf.options
        for name in option.opts
        if name in tree.CONFIRMING
    }
    assert len(lines) >= len(tree.CONFIRMING)
    for line in sorted(lines):
        (folder / "rocefab.toml").write_text(line)
        assert is_refused(folder / "rocefab.toml"), line


def is_refused(file: Path) -> bool:
    """Read the file in this process."""
    reader = _Reader(file)
    assert list(reader.read(tree.root())) == []
    return "cannot have a default" in str(reader.findings[0])


def test_show_config_says_where_values_are_from(folder: Path) -> None:
    (folder / "rocefab.toml").write_text('[plan]\nworkers = 2\n\n[check]\nfail-on = "info"\n')
    user = folder.parent / "home" / "rocefab" / "config.toml"
    user.write_text('color = "never"\n[plan]\nworkers = 3\n')
    words = ("show", "config", "--format", "json")
    rows = {row["option"]: row for row in json.loads(rocefab(folder, *words).out)}
    assert rows["workers"] == {
        "option": "workers",
        "value": "2",
        "from": "rocefab.toml:2",
        "commands": "plan",
    }
    assert rows["fail-on"]["from"] == "rocefab.toml:5"
    assert rows["color"]["from"] == f"{user}:1"
    secret = {"ROCEFAB_STATE": "postgresql://me:hidden@host/journal"}
    said = rocefab(folder, *words, ROCEFAB_WORKERS="1", **secret).out
    assert ("hidden" in said, "postgresql://***@host/journal" in said) == (False, True)
    rows = json.loads(said)
    assert {
        "option": "workers",
        "value": "1",
        "from": "ROCEFAB_WORKERS",
    }.items() <= next(row for row in rows if "plan" in row["commands"]).items()


def test_what_the_file_of_a_project_ignores_is_said(folder: Path) -> None:
    (folder / "rocefab.toml").write_text('[check]\nignore = ["QOS021"]\n')
    check = ("check", "inventory/demo", "--format", "json")
    words = "ignored by rocefab.toml:2: QOS021 (3 warnings)"
    data = json.loads(rocefab(folder, *check).out)
    assert words in data["notes"]
    assert not any(finding["rule"] == "QOS021" for finding in data["findings"])
    whole = json.loads(rocefab(folder, "--no-project-file", *check).out)
    assert sum(finding["rule"] == "QOS021" for finding in whole["findings"]) == 3
    assert words not in whole["notes"]


@pytest.mark.parametrize("by", ["option", "variable"])
def test_the_file_of_a_project_can_be_left_out(folder: Path, by: str) -> None:
    """With what is wrong in it; the file of the user stays."""
    (folder / "rocefab.toml").write_text('[check]\nnonsense = "info"\n')
    (folder.parent / "home" / "rocefab" / "config.toml").write_text('color = "never"\n')
    words = ["--no-project-file"] if by == "option" else []
    variables = {"ROCEFAB_NO_PROJECT_FILE": "true"} if by == "variable" else {}
    ended = rocefab(folder, *words, "show", "config", "--format", "json", **variables)
    assert ended.code == 0, ended.err
    assert "color" in {row["option"] for row in json.loads(ended.out)}
    assert rocefab(folder, "show", "config", ROCEFAB_NO_PROJECT_FILE="no").code == 2
