"""A folder for git that borrows the objects and references of a repository, and no settings.

Configuration, attributes and hooks of a repository name programs: monitors, filters, transports.
A list of such settings ends with the release of git that it was written for. So git never works in
the folder of the repository, and its configuration is ours.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fabric.core.errors import ProgramError
from fabric.programs.checkout import first_line
from fabric.programs.environment import environment
from fabric.programs.run import MIB, Ended, run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from fabric.programs.checkout import Checkout

_TIMEOUT_S = 60
#: Bytes of the files of a commit; our choice: four times the largest file that we read.
MOST_BYTES = 256 * MIB
#: What the worktrees of a repository share, and what each may have for itself
#: (gitrepository-layout(5)); no configuration, hooks, attributes or grafts.
_SHARED = ("objects", "refs", "packed-refs", "reftable", "logs", "shallow")
_OWN = ("refs", "reftable", "logs")
#: Variables of git(1): no configuration but ours, no transport, no other objects, no question.
_VARIABLES = {
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
#: Settings of git-config(1) that start programs or ask others: a second lock on the same door.
_SETTINGS = (
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    f"core.attributesFile={os.devnull}",
    "protocol.allow=never",
    "submodule.recurse=false",
)
_GIT = ("git", "--no-pager", *(word for setting in _SETTINGS for word in ("-c", setting)))
#: What is taken over from a repository: how it names objects, and what ``@{upstream}`` is.
_TAKEN = r"^(extensions\.(objectformat|refstorage)|branch\..*\.(remote|merge)|remote\..*\.fetch)$"
#: Exit status of ``git config --get-regexp`` where nothing matches (git-config(1)).
_NOTHING = 1


def ask(place: Path, words: Iterable[str], given: bytes = b"") -> Ended:
    """Run git in a folder that `borrow` filled.

    Raises
    ------
    ProgramError
        When it cannot be run, takes too long or prints too much.
    """
    variables = {**environment(), **_VARIABLES, "HOME": str(place), "GIT_DIR": str(place)}
    return run(
        [*_GIT, *words],
        _TIMEOUT_S,
        given=given,
        variables=variables,
        folder=place,
        most_bytes=MOST_BYTES,
    )


def borrow(checkout: Checkout, scratch: Path) -> Path:
    """Make the folder that git works in, and return it.

    Raises
    ------
    ProgramError
        When the repository belongs to somebody else, or its configuration cannot be read.
    """
    _require_trust(checkout)
    shared = place = scratch / "shared"
    shared.mkdir()
    _link(checkout.shared, shared, _SHARED)
    if checkout.folder != checkout.shared:
        place = scratch / "own"
        place.mkdir()
        _link(checkout.folder, place, _OWN)
        (place / "commondir").write_text(f"{shared}\n", encoding="utf-8")
    _link(checkout.folder, place, (path.name for path in checkout.folder.glob("*_HEAD")))
    (place / "HEAD").write_bytes((first_line(checkout.folder / "HEAD") or b"") + b"\n")
    taken = "".join(_taken(checkout.shared / "config", place))
    config = f"[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n{taken}"
    (shared / "config").write_text(config, encoding="utf-8", errors="surrogateescape")
    return place


def _link(source: Path, target: Path, names: Iterable[str]) -> None:
    for name in names:
        if (source / name).exists():
            (target / name).symlink_to(source / name)


def _taken(config: Path, place: Path) -> Iterator[str]:
    """Yield the lines of settings that are taken over; files that it includes are not read."""
    if first_line(config) is None:
        return
    words = ("config", "--file", str(config), "--no-includes", "-z", "--get-regexp", _TAKEN)
    done = ask(place, words)
    if done.code not in (0, _NOTHING):
        raise ProgramError("git", f"cannot read {config}: {_said(done)}", "repair that file")
    for entry in filter(None, done.out.decode(errors="surrogateescape").split("\0")):
        key, _, value = entry.partition("\n")
        section, _, rest = key.partition(".")
        subsection, _, name = rest.rpartition(".")
        head = f"{section} {_quoted(subsection)}" if subsection else section
        yield f"[{head}]\n\t{name} = {_quoted(value)}\n"


def _quoted(text: str) -> str:
    """Return a text as git-config(1) writes it."""
    escaped = text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return f'"{escaped}"'


def _require_trust(checkout: Checkout) -> None:
    """Refuse what belongs to another user, unless git of the user trusts it (safe.directory)."""
    if checkout.own:
        return
    names = [name for name in os.environ if name.startswith("GIT_CONFIG")]
    variables = environment("XDG_CONFIG_HOME", "SUDO_UID", *names) | {"LC_ALL": "C"}
    words = [*_GIT, "rev-parse", "--git-dir"]
    done = run(words, _TIMEOUT_S, variables=variables, folder=checkout.top)
    if done.code:
        fix = f"if you trust it: git config --global --add safe.directory {checkout.top}"
        raise ProgramError("git", f"does not read {checkout.top}: {_said(done)}", fix)


def _said(done: Ended) -> str:
    """Return the first line of what git printed to stderr."""
    line = done.complaint.partition("\n")[0]
    return "".join(letter for letter in line if letter.isprintable()).removeprefix("fatal: ")
