"""Repositories whose files and settings name a program, the canary, in every way that git has."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.repository import commit_all, git

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Trap:
    """A repository with the inventory below it, and what runs when plain git looks at it.

    Parameters
    ----------
    top : Path
        The folder with ``.git``.
    canary : Path
        The program; it leaves a file ``ran`` beside it.
    """

    top: Path
    canary: Path

    @property
    def inventory(self) -> Path:
        return self.top / "inventory"

    @property
    def ran(self) -> bool:
        return (self.canary.parent / "ran").exists()

    def set(self, *pairs: tuple[str, str], folder: Path | None = None) -> None:
        for name, value in pairs:
            file = (folder or self.top / ".git") / "config"
            git(self.canary.parent, "config", "--file", str(file), name, value)


def make_canary(folder: Path) -> Path:
    canary = folder / "canary"
    canary.write_text(f"#!/bin/sh\necho ran >> '{folder}/ran'\nexit 1\n")
    canary.chmod(0o755)
    return canary


def bare_layout(trap: Trap, *pairs: tuple[str, str], place: str = "inventory") -> None:
    """Make a folder of the clone an embedded bare repository; any clone can carry its files."""
    folder = trap.top / place
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    for inner in ("objects", "refs"):
        (folder / inner).mkdir(parents=True)
        (folder / inner / ".keep").touch()
    settings = (("core.repositoryformatversion", "0"), ("core.bare", "false"), *pairs)
    trap.set(*settings, ("core.worktree", str(folder)), folder=folder)
    commit_all(trap.top, "embedded")


def embedded_fsmonitor(trap: Trap) -> None:
    bare_layout(trap, ("core.fsmonitor", str(trap.canary)))
    for name in ("objects", "refs"):
        shutil.copytree(trap.top / ".git" / name, trap.inventory / name, dirs_exist_ok=True)
    shutil.copy(trap.top / ".git" / "index", trap.inventory)
    commit_all(trap.top, "with a history")


def promised(trap: Trap, *pairs: tuple[str, str], place: str = "inventory") -> None:
    bare_layout(
        trap,
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        *pairs,
        place=place,
    )
    (trap.top / place / "refs" / "heads").mkdir()
    (trap.top / place / "refs" / "heads" / "main").write_text(f"{'1' * 40}\n")
    commit_all(trap.top, "promised")


def embedded_promisor(trap: Trap) -> None:
    promised(trap, ("remote.origin.url", "."), ("remote.origin.uploadpack", str(trap.canary)))


def embedded_ssh(trap: Trap) -> None:
    promised(trap, ("remote.origin.url", "ssh://x/y"), ("core.sshCommand", str(trap.canary)))


def embedded_ext(trap: Trap) -> None:
    promised(trap, ("remote.origin.url", f"ext::{trap.canary}"), ("protocol.ext.allow", "always"))


def lacking(trap: Trap, *pairs: tuple[str, str]) -> None:
    """Take a file of the commit out of the repository, and promise it from elsewhere."""
    name = git(trap.top, "rev-parse", "HEAD:inventory/fabric.yaml")
    (trap.top / ".git" / "objects" / name[:2] / name[2:]).unlink()
    trap.set(
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        *pairs,
    )


def promisor(trap: Trap) -> None:
    lacking(trap, ("remote.origin.url", "."), ("remote.origin.uploadpack", str(trap.canary)))


def helper(trap: Trap) -> None:
    """``ext::`` is a transport that is a command."""
    lacking(trap, ("remote.origin.url", f"ext::{trap.canary}"), ("protocol.ext.allow", "always"))


def fsmonitor(trap: Trap) -> None:
    trap.set(("core.fsmonitor", str(trap.canary)))


def touched(trap: Trap) -> None:
    """Make git look at contents: the times in its index are not those of the files."""
    for path in trap.inventory.rglob("*.yaml"):
        os.utime(path, (1, 1))


def attribute(trap: Trap, line: str) -> None:
    (trap.top / ".gitattributes").write_text(f"* {line}\n")
    commit_all(trap.top, "attributes")
    touched(trap)


def clean_filter(trap: Trap) -> None:
    attribute(trap, "filter=x")
    trap.set(("filter.x.clean", str(trap.canary)), ("filter.x.smudge", str(trap.canary)))


def process_filter(trap: Trap) -> None:
    attribute(trap, "filter=x")
    trap.set(("filter.x.process", str(trap.canary)), ("filter.x.required", "true"))


def hook(trap: Trap) -> None:
    shutil.copy(trap.canary, trap.top / ".git" / "hooks" / "post-index-change")
    touched(trap)


def hooks_path(trap: Trap) -> None:
    """Name a folder that any clone can carry as that of the hooks."""
    (trap.inventory / "hooks.d").mkdir()
    shutil.copy(trap.canary, trap.inventory / "hooks.d" / "post-index-change")
    commit_all(trap.top, "hooks")
    trap.set(("core.hooksPath", "inventory/hooks.d"))
    touched(trap)


def include(trap: Trap) -> None:
    trap.set(("core.fsmonitor", str(trap.canary)), folder=trap.inventory)
    commit_all(trap.top, "included")
    trap.set(("include.path", "../inventory/config"))


def include_if(trap: Trap) -> None:
    trap.set(("core.fsmonitor", str(trap.canary)), folder=trap.inventory)
    commit_all(trap.top, "included")
    trap.set((f"includeIf.gitdir:{trap.top}/.path", "../inventory/config"))


def worktree_config(trap: Trap) -> None:
    trap.set(("core.repositoryformatversion", "1"), ("extensions.worktreeConfig", "true"))
    file = trap.top / ".git" / "config.worktree"
    file.write_text(f"[core]\n\tfsmonitor = {trap.canary}\n")


def alternates(trap: Trap) -> None:
    """Borrow objects of another repository, and name the program that lists its references."""
    other = trap.canary.parent / "other"
    git(trap.canary.parent, "clone", "--quiet", "--bare", str(trap.top), str(other))
    (trap.top / ".git" / "objects" / "info" / "alternates").write_text(f"{other}/objects\n")
    trap.set(("core.alternateRefsCommand", str(trap.canary)), ("remote.origin.url", str(other)))


def submodule(trap: Trap) -> None:
    """Have a repository in the tree that is a submodule, with a program in its configuration."""
    inner = trap.inventory / "module"
    inner.mkdir()
    git(inner, "init", "--quiet", "--initial-branch=main")
    (inner / "file").touch()
    commit_all(inner, "module")
    git(trap.top, "-c", "advice.addEmbeddedRepo=false", "add", "--all")
    git(trap.top, "commit", "--quiet", "--message=submodule")
    trap.set(("core.fsmonitor", str(trap.canary)), folder=inner / ".git")


def gitfile(trap: Trap) -> None:
    """Lead from a file ``.git`` to a folder in the tree."""
    shutil.move(trap.top / ".git", trap.inventory / "store")
    (trap.top / ".git").write_text("gitdir: inventory/store\n")
    trap.set(("core.fsmonitor", str(trap.canary)), folder=trap.inventory / "store")


def linked_worktree(trap: Trap) -> None:
    """Lead to a folder for a worktree that takes its settings from elsewhere."""
    private = trap.canary.parent / "private"
    private.mkdir()
    shutil.move(trap.top / ".git", trap.canary.parent / "main.git")
    (trap.top / ".git").write_text(f"gitdir: {private}\n")
    (private / "commondir").write_text("../main.git\n")
    for name in ("HEAD", "index"):
        shutil.copy(trap.canary.parent / "main.git" / name, private)
    trap.set(("core.fsmonitor", str(trap.canary)), folder=trap.canary.parent / "main.git")


def work_tree(trap: Trap) -> None:
    """Say that the working tree is another one."""
    trap.set(("core.worktree", "/etc"), ("core.fsmonitor", str(trap.canary)))


def text_conversion(trap: Trap) -> None:
    attribute(trap, "diff=x")
    trap.set(("diff.x.textconv", str(trap.canary)))


def external_diff(trap: Trap) -> None:
    attribute(trap, "diff=x")
    trap.set(("diff.external", str(trap.canary)), ("diff.x.command", str(trap.canary)))


def signature(trap: Trap) -> None:
    """Have a signed commit and a program that checks signatures."""
    trap.set(("gpg.program", str(trap.canary)), ("log.showSignature", "true"))
    text = git(trap.top, "cat-file", "commit", "HEAD")
    head, _, message = text.partition("\n\n")
    signed = f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\n"
    file = trap.canary.parent / "commit"
    file.write_text(f"{signed}{message}\n")
    name = git(trap.top, "hash-object", "-t", "commit", "-w", str(file))
    git(trap.top, "update-ref", "HEAD", name)


def replacement(trap: Trap) -> None:
    """Say that a file of the commit has another content; no program, but another answer."""
    old = git(trap.top, "rev-parse", "HEAD:inventory/fabric.yaml")
    file = trap.canary.parent / "other.yaml"
    file.write_text("name: another\n")
    git(trap.top, "replace", old, git(trap.top, "hash-object", "-w", str(file)))


STATUS = ("status",)
FETCH = ("fetch", "origin")
#: What makes the trap, and the command with which plain git falls into it.
TRAPS: dict[str, tuple[Callable[[Trap], None], tuple[str, ...]]] = {
    "embedded bare repository: core.fsmonitor": (embedded_fsmonitor, STATUS),
    "embedded bare repository: remote.uploadpack": (embedded_promisor, ("log",)),
    "embedded bare repository: core.sshCommand": (embedded_ssh, ("log",)),
    "embedded bare repository: ext::": (embedded_ext, ("log",)),
    "promisor: remote.uploadpack": (promisor, ("show", "HEAD:inventory/fabric.yaml")),
    "promisor: ext::": (helper, ("show", "HEAD:inventory/fabric.yaml")),
    "core.fsmonitor": (fsmonitor, STATUS),
    "filter.clean": (clean_filter, STATUS),
    "filter.process": (process_filter, STATUS),
    "hook": (hook, STATUS),
    "core.hooksPath": (hooks_path, STATUS),
    "include.path": (include, STATUS),
    "includeIf": (include_if, STATUS),
    "config.worktree": (worktree_config, STATUS),
    "core.alternateRefsCommand": (alternates, FETCH),
    "submodule": (submodule, STATUS),
    "file .git": (gitfile, STATUS),
    "linked worktree": (linked_worktree, STATUS),
    "core.worktree": (work_tree, STATUS),
    "diff.textconv": (text_conversion, ("log", "-p", "-1", "--textconv")),
    "diff.external": (external_diff, ("log", "-p", "-1", "--ext-diff")),
    "gpg.program": (signature, ("log", "-1")),
    "replace": (replacement, ()),
}
