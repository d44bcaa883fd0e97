"""The honest cases: what git says of a repository is what we say, whatever its form."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.programs import borrowed, checkout, source
from fabric.programs.environment import environment
from fabric.programs.git import opened
from fabric.workflow.revision import Repository
from tests.programs.hostile import make_canary
from tests.repository import commit_all, git

MAIN = "inventory/fabric.yaml"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """Return a repository with three commits of a folder that passes for an inventory."""
    folder = tmp_path / "top"
    (folder / "inventory" / "hosts").mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    for number in range(3):
        (folder / MAIN).write_text(f"name: a{number}\n")
        (folder / "inventory" / "hosts" / "all.yaml").write_text("hosts: []\n")
        commit_all(folder, f"commit {number}")
    return folder


def names(folder: Path, revision: str) -> str:
    """Return the content of the main file in a revision, by way of a copy."""
    repository = Repository(folder)
    with repository.copied(repository.commit(revision), revision) as copied:
        return (copied / "fabric.yaml").read_text()


def expect_same(inventory: Path, *revisions: str) -> None:
    """Hold what we say against what git says."""
    for revision in ("HEAD", *revisions):
        assert Repository(inventory).commit(revision) == git(inventory, "rev-parse", revision)
        inner = git(inventory, "rev-parse", "--show-prefix")
        content = git(inventory, "show", f"{revision}:{inner}fabric.yaml")
        assert names(inventory, revision) == f"{content}\n"
    assert Repository(inventory).state() == git(inventory, "rev-parse", "HEAD")
    (inventory / "fabric.yaml").write_text("name: edited\n")
    assert Repository(inventory).state().endswith("+changes")


def reason(inventory: Path, revision: str = "HEAD") -> str:
    with pytest.raises(InputError) as caught:
        names(inventory, revision)
    return str(caught.value.findings[0])


def test_a_subfolder(top: Path) -> None:
    git(top, "tag", "v1", "HEAD~2")
    git(top, "pack-refs", "--all")
    git(top, "gc", "--quiet")
    expect_same(top / "inventory", "HEAD~1", "v1", "main", "main@{1}", "HEAD@{2}")


def test_the_root_of_a_repository(tmp_path: Path) -> None:
    (tmp_path / "fabric.yaml").write_text("name: a\n")
    git(tmp_path, "init", "--quiet")
    commit_all(tmp_path, "all")
    expect_same(tmp_path)


def test_a_linked_worktree(top: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(top, "worktree", "add", "--quiet", "-b", "side", str(linked), "main~1")
    (linked / MAIN).write_text("name: side\n")
    commit_all(linked, "side")
    expect_same(linked / "inventory", "main", "side~1", "HEAD@{1}", "main@{1}")
    expect_same(top / "inventory", "side", "HEAD@{1}")
    assert Repository(linked / "inventory").fork("HEAD", "main") == git(top, "rev-parse", "main~1")


def test_a_submodule_as_a_clone_carries_it(top: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "--quiet")
    local = ("-c", "protocol.file.allow=always")
    git(outer, *local, "submodule", "--quiet", "add", str(top), "fabric")
    commit_all(outer, "outer")
    clone = tmp_path / "clone"
    git(outer, *local, "clone", "--quiet", "--recurse-submodules", str(outer), str(clone))
    assert (clone / "fabric" / ".git").is_file()
    expect_same(clone / "fabric" / "inventory", "HEAD~1", "origin/main")


def test_a_shallow_clone(top: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth=2", f"file://{top}", str(clone))
    assert "neither a folder nor a git revision" in reason(clone / "inventory", "HEAD~2")
    assert Repository(clone / "inventory").fork("HEAD", "HEAD~1") == git(clone, "rev-parse", "@~1")
    expect_same(clone / "inventory", "HEAD~1", "origin/main")


def test_a_folder_of_git_elsewhere(top: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    words = ("clone", "--quiet", "--separate-git-dir", str(tmp_path / "store"))
    git(tmp_path, *words, str(top), str(clone))
    expect_same(clone / "inventory", "HEAD~1")


def test_objects_of_another_repository(top: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--shared", str(top), str(clone))
    file = clone / ".git" / "objects" / "info" / "alternates"
    file.write_text("../../../top/.git/objects\n")
    expect_same(clone / "inventory", "HEAD~1")


def test_names_by_sha_256(tmp_path: Path) -> None:
    (tmp_path / "fabric.yaml").write_text("name: a\n")
    git(tmp_path, "init", "--quiet", "--object-format=sha256")
    assert len(commit_all(tmp_path, "all")) == 64
    expect_same(tmp_path)


@pytest.mark.parametrize("remote", ["origin", 'a"b\\c'])
def test_the_branch_that_is_followed(top: Path, tmp_path: Path, remote: str) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(top), str(clone))
    if remote != "origin":
        git(clone, "config", f"remote.{remote}.url", str(top))
        git(clone, "config", f"remote.{remote}.fetch", "+refs/heads/*:refs/remotes/other/*")
        git(clone, "config", "branch.main.remote", remote)
        git(clone, "update-ref", "refs/remotes/other/main", "HEAD~2")
    (clone / MAIN).write_text("name: clone\n")
    commit_all(clone, "clone")
    git(clone, "fetch", "--quiet", str(top), "main")
    expect_same(clone / "inventory", "@{upstream}", "FETCH_HEAD")


def test_a_partial_clone_lacks_files(top: Path, tmp_path: Path) -> None:
    git(top, "config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--filter=blob:none", f"file://{top}", str(clone))
    said = reason(clone / "inventory", "HEAD~1")
    assert "git does not have all files of the commit here, and nothing is fetched" in said
    git(clone, "fetch", "--quiet", "--refetch", "--no-filter")  # as the message says
    expect_same(clone / "inventory", "HEAD~1")


def test_a_link_to_the_inventory(top: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(top / "inventory")
    expect_same(link, "HEAD~1")


def test_an_inventory_that_is_gone(top: Path) -> None:
    shutil.rmtree(top / "inventory")
    assert names(top / "inventory", "HEAD~1") == "name: a1\n"
    assert Repository(top / "inventory").state() == ""


def test_outside_of_a_repository(tmp_path: Path) -> None:
    """A layout as of a bare repository is none, also where nothing is above it."""
    git(tmp_path, "init", "--quiet", "--bare", ".")
    (tmp_path / "fabric.yaml").write_text("name: a\n")
    with opened(tmp_path) as repository:
        assert repository is None
    assert Repository(tmp_path).state() == ""
    assert "is outside a git repository" in reason(tmp_path)


def test_what_is_no_repository(top: Path) -> None:
    (top / "inventory" / ".git").mkdir()
    expect_same(top / "inventory")
    (top / "inventory" / ".git").rmdir()
    for text in ("gitdir: nowhere", "gitdir: ", "x", ""):
        (top / "inventory" / ".git").write_text(text)
        assert "has no repository where" in reason(top / "inventory")
    (top / "inventory" / ".git").unlink()
    with (top / ".git" / "config").open("a") as file:
        file.write("[core\n")
    assert "cannot read" in reason(top / "inventory")
    assert Repository(top / "inventory").state() == ""


def test_a_pipe_in_the_place_of_a_file_blocks_nothing(top: Path) -> None:
    (top / ".git" / "HEAD").unlink()
    os.mkfifo(top / ".git" / "HEAD")
    os.mkfifo(top / "inventory" / ".git")
    assert "is outside a git repository" in reason(top / "inventory")


def remove(inventory: Path) -> None:
    (inventory / "hosts" / "all.yaml").unlink()


def ignore(inventory: Path) -> None:
    """Add a file that git ignores, and rocefab reads."""
    (inventory / ".gitignore").write_text("more.yaml\n")
    (inventory / "hosts" / "more.yaml").write_text("hosts: []\n")


def link(inventory: Path) -> None:
    remove(inventory)
    (inventory / "hosts" / "all.yaml").symlink_to("../fabric.yaml")


def link_to_folder(inventory: Path) -> None:
    (inventory / "hosts").rename(inventory / "other")
    (inventory / "hosts").symlink_to("other")


CHANGES = {one.__name__: one for one in (remove, ignore, link, link_to_folder)}


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_not_committed_shows(top: Path, name: str) -> None:
    inventory = top / "inventory"
    CHANGES[name](inventory)
    assert Repository(inventory).state().endswith("+changes")
    commit = commit_all(top, name)
    assert Repository(inventory).state() == commit


def test_a_change_behind_a_link_shows(top: Path) -> None:
    inventory = top / "inventory"
    link(inventory)
    link_to_folder(inventory)
    (inventory / "hosts" / "out.yaml").symlink_to("/etc/hostname")
    commit = commit_all(top, "links")
    assert Repository(inventory).state().endswith("+changes")  # it leads out
    (inventory / "hosts" / "out.yaml").unlink()
    (inventory / "other" / "deep.yaml").write_text("a\n")
    assert commit_all(top, "inside") != commit
    assert not Repository(inventory).state().endswith("+changes")
    (inventory / "other" / "deep.yaml").write_text("b\n")
    assert Repository(inventory).state().endswith("+changes")


def test_what_is_no_part_of_an_inventory_does_not_count(top: Path) -> None:
    inventory = top / "inventory"
    for name in ("plan.json", ".hidden", "hosts/.all.yaml.swp"):
        (inventory / name).write_text("x")
    os.utime(inventory / "fabric.yaml", (1, 1))
    (inventory / "fabric.yaml").chmod(0o755)
    assert Repository(inventory).state() == git(top, "rev-parse", "HEAD")


def test_the_other_fabric_of_a_site_counts(tmp_path: Path) -> None:
    for name in ("compute", "storage"):
        (tmp_path / "fabrics" / name).mkdir(parents=True)
        (tmp_path / "fabrics" / name / "fabric.yaml").write_text("name: x\n")
    (tmp_path / "fabrics" / "README").touch()
    git(tmp_path, "init", "--quiet")
    commit = commit_all(tmp_path, "site")
    repository = Repository(tmp_path / "fabrics" / "compute")
    assert repository.state() == commit
    (tmp_path / "fabrics" / "storage" / "fabric.yaml").write_text("name: y\n")
    assert repository.state() == f"{commit}+changes"


def test_variables_and_settings_of_the_caller_change_nothing(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not those of a hook of git either, in which pre-commit runs `rocefab check`."""
    (tmp_path / "home").mkdir()
    canary = make_canary(tmp_path / "home")
    settings = f'[core]\n\tfsmonitor = {canary}\n[filter "x"]\n\tclean = {canary}\n'
    (tmp_path / "home" / ".gitconfig").write_text(settings)
    (top / ".gitattributes").write_text("* filter=x\n")
    commit = commit_all(top, "attributes")
    git(tmp_path, "init", "--quiet", "elsewhere")
    for name, value in {
        "HOME": tmp_path / "home",
        "GIT_DIR": tmp_path / "elsewhere" / ".git",
        "GIT_WORK_TREE": tmp_path / "elsewhere",
        "GIT_INDEX_FILE": tmp_path / "nowhere",
        "GIT_OBJECT_DIRECTORY": tmp_path / "nowhere",
        "GIT_NAMESPACE": "x",
        "GIT_EXTERNAL_DIFF": canary,
        "GIT_SSH_COMMAND": canary,
        "GIT_TRACE": tmp_path / "trace",
        "GIT_EXEC_PATH": tmp_path,
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": canary,
    }.items():
        monkeypatch.setenv(name, str(value))
    os.utime(top / MAIN, (1, 1))
    assert Repository(top / "inventory").state() == commit
    assert names(top / "inventory", "HEAD~1") == "name: a2\n"
    assert not (tmp_path / "home" / "ran").exists()
    assert not (tmp_path / "trace").exists()


def test_what_belongs_to_others_needs_trust(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkout.os, "geteuid", lambda: -1)
    assert Repository(top / "inventory").commit("HEAD")  # git itself finds that it is ours

    def foreign(*more: str) -> dict[str, str]:
        # git's own tests ask for another owner in this way
        return {**environment(*more), "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}

    monkeypatch.setattr(borrowed, "environment", foreign)
    said = reason(top / "inventory")
    assert f"git does not read {top}: detected dubious ownership" in said
    assert f"git config --global --add safe.directory {top}" in said
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "safe.directory")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(top))
    assert Repository(top / "inventory").commit("HEAD")


def test_nothing_is_written_into_the_repository(top: Path) -> None:
    def listed() -> dict[str, int]:
        return {str(path): path.lstat().st_mtime_ns for path in top.rglob("*")}

    before = listed()
    assert names(top / "inventory", "HEAD~1") == "name: a1\n"
    assert Repository(top / "inventory").state()
    assert Repository(top / "inventory").fork("HEAD", "HEAD~1")
    assert listed() == before


def test_the_commit_of_our_own_code(top: Path) -> None:
    commit = git(top, "rev-parse", "HEAD")
    (top / "new").touch()
    assert source.commit_of(top) == commit
    assert source.commit_of(top / "inventory") == ""
    (top / MAIN).write_text("name: x\n")
    assert source.commit_of(top) == f"{commit}-dirty"
    (top / MAIN).unlink()
    assert source.commit_of(top) == f"{commit}-dirty"


def test_without_git(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(top))
    said = reason(top / "inventory")
    assert "git cannot be run: No such file or directory; install git" in said
    assert Repository(top / "inventory").state() == ""
    assert source.commit_of(top) == ""
