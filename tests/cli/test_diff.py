"""diff as a user runs it: folders, git revisions, exit codes, wrong input."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.runs import DEMO, ROOT, Ended, everything_below, process
from tests.repository import git

KMIN = ("kmin_bytes: 150000", "kmin_bytes: 200000")


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three commits on main, one on a branch that leaves after the first; a dirty working tree.

    main: demo; larger kmin; kmin and a longer uplink. side: another DSCP.
    """
    top = tmp_path_factory.mktemp("repository")
    git(top, "init", "--quiet", "--initial-branch", "main")
    inventory = top / "net" / "demo"
    shutil.copytree(DEMO, inventory)
    git(top, "add", ".")
    git(top, "commit", "--quiet", "--message", "first")
    git(top, "checkout", "--quiet", "-b", "side")
    replace(inventory / "fabric.yaml", "roce_dscp: 26", "roce_dscp: 28")
    git(top, "commit", "--quiet", "--all", "--message", "side")
    git(top, "checkout", "--quiet", "main")
    replace(inventory / "fabric.yaml", *KMIN)
    git(top, "commit", "--quiet", "--all", "--message", "second")
    replace(inventory / "fabric.yaml", "uplink_m: 40", "uplink_m: 100")
    git(top, "commit", "--quiet", "--all", "--message", "third")
    replace(inventory / "fabric.yaml", "timeout_s: 240", "timeout_s: 300")
    return top


def diff(repository: Path, *words: str, cwd: str = ".") -> Ended:
    return process("diff", *words, "--fresh", cwd=repository / cwd, GIT_CONFIG_GLOBAL="/dev/null")


def fields(ended: Ended) -> set[str]:
    """Return which inventory values differ, of JSON output."""
    assert ended.code == 0, ended.err
    return {edit["field"].removeprefix("fabric.") for edit in json.loads(ended.out)["edits"]}


DSCP, UPLINK, ARP = "lossless.roce_dscp", "cables.uplink_m", "arp.timeout_s"
ECN = "lossless.ecn.kmin_bytes"
REVISIONS = {
    "two commits": ("HEAD~2..HEAD~1", {ECN}),
    "to HEAD": ("main~1..", {UPLINK}),
    "from HEAD": ("..HEAD~1", {UPLINK}),
    "the working tree": ("main", {ARP}),
    "the working tree, earlier": ("HEAD~1", {UPLINK, ARP}),
    "two branches": ("main..side", {ECN, UPLINK, DSCP}),
    "since both were the same": ("main...side", {DSCP}),
    "a branch with a slash in its name": ("refs/heads/main..refs/heads/side", {ECN, UPLINK, DSCP}),
}


@pytest.mark.parametrize(("revisions", "expected"), REVISIONS.values(), ids=REVISIONS)
def test_revisions(repository: Path, revisions: str, expected: set[str]) -> None:
    assert fields(diff(repository, revisions, "net/demo", "--format", "json")) == expected


@pytest.mark.parametrize(
    ("cwd", "words"),
    [
        ("net", ("demo",)),
        ("net/demo", ()),
        ("net/demo/devices", ("..",)),
        ("net/demo", ("fabric.yaml",)),
        (".git", ("../net/demo",)),
    ],
    ids=str,
)
def test_the_folder_is_that_of_the_user(repository: Path, cwd: str, words: tuple[str, ...]) -> None:
    ended = diff(repository, "HEAD~2..HEAD~1", *words, "--format", "json", cwd=cwd)
    assert fields(ended) == {ECN}


def test_an_inventory_of_another_repository_than_the_current_folder(repository: Path) -> None:
    ended = process(
        *("diff", "HEAD~2..HEAD~1", repository / "net" / "demo", "--format", "json", "--fresh"),
        cwd=ROOT,
    )
    assert fields(ended) == {ECN}


def test_places_are_those_of_the_revision(repository: Path) -> None:
    ended = diff(repository, "HEAD~2..HEAD~1", "net/demo")
    place = "HEAD~1:net/demo/fabric.yaml:38"
    assert f"{place} fabric.lossless.ecn.kmin_bytes: 150000 -> 200000" in ended.out
    assert "/tmp" not in ended.out
    ended = diff(repository, "HEAD", "net/demo")
    assert "net/demo/fabric.yaml:41 fabric.arp.timeout_s: 240 -> 300" in ended.out


def test_nothing_is_checked_out_or_written(repository: Path) -> None:
    before = everything_below(repository)
    assert diff(repository, "main..side", "net/demo").code == 0
    assert everything_below(repository) == before


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("HEAD..HEAD", "net/demo", "--detailed-exitcode"), 0),
        (("HEAD~1..HEAD", "net/demo", "--detailed-exitcode"), 5),
        (("HEAD~1..HEAD", "net/demo"), 0),
        (("net/demo", "net/demo", "--detailed-exitcode"), 0),
        (("HEAD..HEAD", "net/demo", "--fail-on", "harmless"), 0),
        (("HEAD~1..HEAD", "net/demo", "--fail-on", "less protection"), 0),
        (("HEAD~1..HEAD", "net/demo", "--fail-on", "brief loss", "--detailed-exitcode"), 4),
    ],
    ids=str,
)
def test_exit_codes(repository: Path, words: tuple[str, ...], code: int) -> None:
    assert diff(repository, *words).code == code


WRONG = {
    "no such revision": (("nowhere..HEAD", "net/demo"), "'nowhere' is neither a folder nor"),
    "no revision at all": (("nowhere", "net/demo"), "'nowhere' is neither a folder nor"),
    "a file, not a commit": (("HEAD:net/demo/fabric.yaml", "net/demo"), "is neither a folder nor"),
    "an option": (("--", "--output=stolen..HEAD", "net/demo"), "'--output=stolen' is neither"),
    "a folder that no commit has": (
        ("HEAD~1..HEAD", "net/other"),
        "HEAD~1 has no folder net/other, and neither has HEAD",
    ),
    "a folder that is no inventory": (
        ("HEAD~1..HEAD", "net"),
        "HEAD:net: there is no fabric.yaml",
    ),
    "a folder alone": (
        ("net/demo",),
        "the folder 'net/demo' has nothing to be compared with; name a second folder behind it",
    ),
    "a control character": (("a\x1b[31m", "net/demo"), "is neither a folder nor"),
}


@pytest.mark.parametrize(("words", "message"), WRONG.values(), ids=WRONG)
def test_wrong_input_is_named(repository: Path, words: tuple[str, ...], message: str) -> None:
    ended = process("diff", "--fresh", *words, cwd=repository)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
    assert "\x1b" not in ended.err
    assert not list(repository.glob("**/stolen*"))


def test_outside_a_repository(tmp_path: Path) -> None:
    inventory = shutil.copytree(DEMO, tmp_path / "demo")
    ended = process("diff", "main", inventory, cwd=tmp_path, GIT_CEILING_DIRECTORIES=str(tmp_path))
    assert ended.code == 2
    assert "is outside a git repository" in ended.err
    ended = process("diff", "demo", cwd=tmp_path, GIT_CEILING_DIRECTORIES=str(tmp_path))
    assert ended.code == 2
    assert "the folder 'demo' has nothing to be compared with; name a second folder" in ended.err


UNREADABLE = ("name: demo", "name: [demo")


@pytest.mark.parametrize(
    ("wrong", "fields", "error"),
    [
        (("rails: 2", "rails: two"), ["fabric.rails"], "fabric.rails: expected a whole number"),
        (UNREADABLE, [], ""),
    ],
    ids=["a value", "a file that cannot be read"],
)
def test_a_change_that_repairs_its_base(
    tmp_path: Path, wrong: tuple[str, str], fields: list[str], error: str
) -> None:
    """The gate fails, as what the value protected cannot be judged; it is not rejected."""
    top = tmp_path / "repository"
    inventory = shutil.copytree(DEMO, top / "demo")
    replace(inventory / "fabric.yaml", *wrong)
    git(tmp_path, "init", "--quiet", str(top))
    git(top, "add", ".")
    git(top, "commit", "--quiet", "--message", "wrong")
    replace(inventory / "fabric.yaml", *wrong[::-1])
    data = json.loads(process("diff", "HEAD", "demo", "--format", "json", cwd=top).out)
    assert [edit["field"] for edit in data["edits"]] == fields
    assert data["summary"]["risk"] == "less protection"
    assert [row["severity"] for row in data["judged"]["gone"]] == ["error"]
    assert data["judged"]["proof_after"]["verdict"] == "proved"
    ended = process("diff", "HEAD", "demo", "--fail-on", "less protection", cwd=top)
    assert ended.code == 4
    lines = ended.out.splitlines()
    assert lines[2] == "HEAD:demo is not valid: 1 error, gone in demo"
    assert lines[3].startswith("not compared: ")
    assert ("inventory values" in lines[3]) == (not fields)
    assert error in ended.out
    assert process("diff", "HEAD", "demo", "--detailed-exitcode", cwd=top).code == 5


def test_a_change_that_breaks_an_inventory_is_rejected(tmp_path: Path) -> None:
    wrong = shutil.copytree(DEMO, tmp_path / "wrong")
    replace(wrong / "fabric.yaml", "rails: 2", "rails: two")
    for before in (DEMO, wrong):
        ended = process("diff", before, wrong, "--fresh")
        assert (ended.code, ended.out) == (2, "")
        assert f"{wrong}/fabric.yaml:15:8: fabric.rails: " in ended.err


def test_an_inventory_that_is_new(tmp_path: Path) -> None:
    """The first merge request of a fabric, and one that removes it."""
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "empty")
    shutil.copytree(DEMO, tmp_path / "demo")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "fabric")
    ended = process("diff", "HEAD~1..HEAD", "demo", "--format", "json", cwd=tmp_path)
    data = json.loads(ended.out)
    assert (ended.code, data["summary"]["added"], data["summary"]["risk"]) == (0, 10, "none")
    assert {device["state"] for device in data["devices"]} == {"added"}
    assert len(data["devices"][0]["files"]) > 0
    assert data["judged"]["proof_after"]["verdict"] == "proved"
    assert any(finding["rule"] == "QOS021" for finding in data["judged"]["new"])
    text = process("diff", "HEAD~1..HEAD", "demo", cwd=tmp_path).out
    assert "proof: not run (there is no inventory) before, proved for 56 pairs" in text
    gone = process("diff", "HEAD..HEAD~1", "demo", "--fail-on", "sessions end", cwd=tmp_path)
    assert gone.code == 4
    assert "devices: 0 added, 10 removed, 0 changed" in gone.out


def test_a_shallow_clone_is_said(repository: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth", "1", repository.as_uri(), str(clone))
    ended = process("diff", "HEAD~1..HEAD", "net/demo", cwd=clone)
    assert ended.code == 2
    assert (
        "this clone is shallow: fetch the whole history with `git fetch --unshallow`" in ended.err
    )
    assert ended.err.startswith("'HEAD~1' is neither")  # no colon before it


def test_a_fabric_of_a_site(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "inventory" / "site", tmp_path / "site")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "site")
    file = tmp_path / "site" / "fabrics" / "compute" / "fabric.yaml"
    replace(file, "host_m: ", "host_m: 1")
    ended = process("diff", "HEAD", "site/fabrics/compute", "--format", "json", cwd=tmp_path)
    assert fields(ended) == {"cables.host_m"}
    ended = process("diff", "HEAD", "site", cwd=tmp_path)
    assert ended.code == 2
    assert "name one of the folders in site/fabrics" in ended.err


def test_a_link_that_leads_outside_is_rejected(tmp_path: Path) -> None:
    """The tree of a commit is copied link by link; the loader reads none that leaves the folder."""
    top = tmp_path / "repository"
    inventory = shutil.copytree(DEMO, top / "demo")
    (tmp_path / "secret.yaml").write_text("devices: []\n")
    (inventory / "devices" / "other.yaml").symlink_to(tmp_path / "secret.yaml")
    git(tmp_path, "init", "--quiet", str(top))
    git(top, "add", ".")
    git(top, "commit", "--quiet", "--message", "link")
    ended = process("diff", "HEAD..HEAD", "demo", cwd=top)
    assert ended.code == 2
    assert "HEAD:demo/devices/other.yaml: the link points outside the inventory folder" in ended.err


def test_a_folder_counts_before_a_revision_of_its_name(repository: Path) -> None:
    git(repository, "branch", "--force", "net", "HEAD~2")
    ended = diff(repository, "net/demo", "net/demo")
    assert "Nothing differs." in ended.out


def test_a_tree_that_leads_outside_writes_nothing_there(tmp_path: Path) -> None:
    """Made by hand, as no git command makes it: a link, and files below its name."""
    top = tmp_path / "repository"
    inventory = shutil.copytree(DEMO, top / "demo")
    git(tmp_path, "init", "--quiet", str(top))
    (tmp_path / "outside").mkdir()
    git(top, "add", ".")
    good = git(top, "write-tree", "--prefix", "demo/")
    (tmp_path / "target").write_text(str(tmp_path / "outside"))
    link = git(top, "hash-object", "-w", str(tmp_path / "target"))
    rows = [f"120000 blob {link}\tdevices", *git(top, "ls-tree", good).splitlines()]
    tree = _tree(top, rows)
    commit = git(top, "commit-tree", _tree(top, [f"040000 tree {tree}\tdemo"]), "-m", "x")
    ended = process("diff", f"{commit}..{commit}", inventory, cwd=top)
    assert ended.code == 2
    assert "cannot be written" in ended.err
    assert list((tmp_path / "outside").iterdir()) == []


def _tree(top: Path, rows: list[str]) -> str:
    """Write a tree without the checks of git."""
    content = b"".join(
        f"{mode.lstrip('0')} {name}".encode() + b"\0" + bytes.fromhex(digest)
        for mode, _, digest, name in (row.split(maxsplit=3) for row in rows)
    )
    done = subprocess.run(
        ["git", "-C", str(top), "hash-object", "-t", "tree", "-w", "--literally", "--stdin"],
        input=content, capture_output=True, check=True,
    )  # fmt: skip
    return done.stdout.decode().strip()
