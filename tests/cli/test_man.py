"""Manual pages: one for each command, and readable by those that format them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli import tree
from tests.cli.runs import process, run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("man") / "man1"
    assert process("man", "--out", out).err == f"wrote {len(list(out.iterdir()))} pages to {out}\n"
    return out


def test_every_command_has_a_page_with_all_its_options(folder: Path) -> None:
    leaves = [leaf for leaf in tree.leaves() if not leaf.command.hidden]
    names = {f"rocefab-{leaf.name.replace(' ', '-')}.1" for leaf in leaves}
    groups = {f"rocefab-{words}.1" for words in ("show", "lab", "models", "tenant")}
    assert {page.name for page in folder.iterdir()} == names | groups | {"rocefab.1"}
    for leaf in leaves:
        text = (folder / f"rocefab-{leaf.name.replace(' ', '-')}.1").read_text()
        for option in leaf.options:
            for name in option.opts:
                assert f"\\fB{name.replace('-', chr(92) + '-')}\\fR" in text


@pytest.mark.parametrize(
    "judge", [("mandoc", "-T", "lint", "-W", "warning"), ("groff", "-man", "-ww", "-z", "-Tutf8")]
)
def test_pages_are_well_formed(folder: Path, judge: tuple[str, ...]) -> None:
    """A date is missing on purpose: same commands, same bytes."""
    if shutil.which(judge[0]) is None:
        pytest.skip(f"{judge[0]} is not installed; make judges (root) installs it")
    done = subprocess.run(
        [*judge, *sorted(map(str, folder.iterdir()))], capture_output=True, text=True, check=False
    )
    lines = (done.stdout + done.stderr).splitlines()
    assert [line for line in lines if "missing date" not in line] == []


def test_a_folder_that_cannot_be_written() -> None:
    ended = run("man", "--out", "/dev/null/x")
    assert ended.code == 2
    assert "--out: /dev/null/x cannot be written" in ended.err
