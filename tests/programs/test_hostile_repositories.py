"""plan, diff and check --changed-since in repositories that name programs: none of them runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.core.findings import Severity
from fabric.workflow.diff import diff
from fabric.workflow.plan import origin_of
from fabric.workflow.since import without_known
from fabric.workflow.site import check_folder
from fabric.workflow.work import Work
from tests.programs.hostile import TRAPS, Trap, make_canary
from tests.repository import commit_all, git
from tests.topology.fabrics import INVENTORY

#: Of these the repository lacks a file: nothing can be compared.
LACKING = {"promisor: remote.uploadpack", "promisor: ext::"}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with the demo inventory, in which one value was changed."""
    top = tmp_path_factory.mktemp("model")
    shutil.copytree(INVENTORY / "demo", top / "inventory")
    git(top, "init", "--quiet", "--initial-branch=main")
    commit_all(top, "first")
    git(top, "tag", "first")
    file = top / "inventory" / "fabric.yaml"
    file.write_text(file.read_text().replace("timeout_s: 240", "timeout_s: 200"))
    commit_all(top, "second")
    return top


@pytest.fixture
def trap(model: Path, tmp_path: Path) -> Trap:
    top = tmp_path / "top"
    shutil.copytree(model, top, symlinks=True)
    (tmp_path / "away").mkdir()
    return Trap(top, make_canary(tmp_path / "away"))


def values(trap: Trap, revision: str) -> int:
    """Return how many values of the inventory differ."""
    return len(diff(revision, str(trap.inventory), Work(), lambda *_: None).edits)


@pytest.mark.parametrize("name", TRAPS)
def test_no_verb_runs_what_a_repository_names(name: str, trap: Trap) -> None:
    TRAPS[name][0](trap)
    head = git(trap.top, "-c", "core.fsmonitor=false", "rev-parse", "HEAD")
    assert not trap.ran
    assert origin_of(trap.inventory).revision == head
    assert values(trap, "first") == 1
    whole = check_folder(trap.inventory, Work(), ())
    _, known = without_known(whole, trap.inventory, "first", Work(), (), Severity.ERROR)
    assert known == len(whole.findings) > 0
    if name in LACKING:
        with pytest.raises(InputError) as caught:
            values(trap, "HEAD")
        with pytest.raises(InputError):
            without_known(whole, trap.inventory, "HEAD", Work(), (), Severity.ERROR)
        assert not trap.ran
        assert "does not have all files of the commit" in str(caught.value.findings[0])
    else:
        assert values(trap, "HEAD") == 0
    assert not trap.ran


@pytest.mark.parametrize("name", [name for name, (_, words) in TRAPS.items() if words])
def test_plain_git_runs_it(name: str, trap: Trap) -> None:
    """So the test above would see it."""
    arm, words = TRAPS[name]
    arm(trap)
    git(trap.inventory, *words, check=False)
    assert trap.ran
