"""A repository of git that a test makes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests.topology.fabrics import INVENTORY

IDENTITY = ("-c", "user.name=x", "-c", "user.email=x@example.net")
#: git of the tests: not as the caller has set it up, in particular inside of a hook.
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "LC_ALL": "C",
}


def git(folder: Path, *words: str, check: bool = True, **more: str) -> str:
    done = subprocess.run(
        ["git", *IDENTITY, *words],
        cwd=folder,
        check=check,
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
        env={**ENVIRONMENT, **more},
    )
    return done.stdout.strip()


def commit_all(folder: Path, message: str) -> str:
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--message", message)
    return git(folder, "rev-parse", "HEAD")


def demo_repository(top: Path, name: str = "inventory", example: str = "demo") -> Path:
    """Return an example, the demo unless another is named, in a repository whose branch is main."""
    inventory = shutil.copytree(INVENTORY / example, top / name)
    git(top, "init", "--quiet", "--initial-branch=main")
    commit_all(top, "the fabric")
    return inventory
