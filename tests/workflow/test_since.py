"""check --changed-since: the verdict of the whole check, and what the change brings."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.core.findings import Severity
from fabric.workflow.since import without_known
from fabric.workflow.site import check_folder
from fabric.workflow.work import Work
from tests.repository import demo_repository, git
from tests.topology.fabrics import INVENTORY

#: One-line changes of the demo: old text, and new ones of which some are wrong.
CHANGES = {
    "kmin_bytes: 150000": ("kmin_bytes: 10000", "kmin_bytes: 1600000"),
    "timeout_s: 240": ("timeout_s: 200", "timeout_s: 4000"),
    "pfc_priority: 3": ("pfc_priority: 4", "pfc_priority: 6"),
    "uplink_m: 40": ("uplink_m: 30", "uplink_m: 300"),
    "detection_ms: 400": ("detection_ms: 500", "detection_ms: 300"),
    "roce_dscp: 26": ("roce_dscp: 24", "roce_dscp: 48"),
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return the demo inventory in a repository."""
    return demo_repository(tmp_path)


@pytest.mark.parametrize("seed", range(12))
def test_the_verdict_is_that_of_the_whole_check(repository: Path, seed: int) -> None:
    pick = random.Random(seed)
    file = repository / "fabric.yaml"
    text = file.read_text(encoding="utf-8")
    for old in pick.sample(sorted(CHANGES), pick.randint(0, 3)):
        assert old in text
        text = text.replace(old, pick.choice(CHANGES[old]))
    file.write_text(text, encoding="utf-8")
    before = {one.message for one in check_folder(INVENTORY / "demo", Work(), ()).findings}
    whole = check_folder(repository, Work(), ())
    fail_on = pick.choice(list(Severity))
    listed, known = without_known(whole, repository, "main", Work(), (), fail_on)
    assert listed.at_least(fail_on) == whole.at_least(fail_on)
    assert len(listed.findings) + known == len(whole.findings)
    new = {one for one in whole.findings if one.message not in before}
    assert new <= set(listed.findings)


def test_nothing_changed(repository: Path) -> None:
    whole = check_folder(repository, Work(), ())
    listed, known = without_known(whole, repository, "HEAD", Work(), (), Severity.ERROR)
    assert (listed.findings, known) == ((), len(whole.findings))
    assert known


def test_a_revision_without_the_inventory_has_no_findings(repository: Path) -> None:
    git(repository, "mv", "fabric.yaml", "other.txt")
    git(repository, "commit", "--quiet", "--message=moved")
    git(repository, "mv", "other.txt", "fabric.yaml")
    whole = check_folder(repository, Work(), ())
    listed, known = without_known(whole, repository, "HEAD", Work(), (), Severity.ERROR)
    assert (listed, known) == (whole, 0)


@pytest.mark.parametrize("revision", ["nowhere", "--all", ""])
def test_a_revision_that_does_not_exist(repository: Path, revision: str) -> None:
    whole = check_folder(repository, Work(), ())
    with pytest.raises(InputError):
        without_known(whole, repository, revision, Work(), (), Severity.ERROR)
