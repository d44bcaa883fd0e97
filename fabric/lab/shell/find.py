"""``find`` of the stand-ins, to the letter of the options that the drivers use.

Known: find(1), IEEE Std 1003.1-2017 and GNU findutils: ``-mindepth``, ``-maxdepth``, ``-name``,
``-user``, ``-mmin +N``, ``-type d``, ``-perm MODE``; a link is not followed. Assumed: a user is
not looked at, as there are no file owners.
"""

from __future__ import annotations

import fnmatch
import posixpath
import time
from typing import TYPE_CHECKING

from fabric.lab.shell.state import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.lab.shell.state import Context

_TESTS = ("-mindepth", "-maxdepth", "-name", "-user", "-mmin", "-type", "-perm")


def find(context: Context, argv: list[str], _stdin: str) -> Result:
    """Answer find: print what passes every test."""
    words = argv[1:]
    starts = [word for word in words if not word.startswith("-")][: _first_test(words)]
    pairs = words[len(starts) :]
    tests = dict(zip(pairs[::2], pairs[1::2], strict=False))
    if len(pairs) % 2 or set(tests) - set(_TESTS) or tests.get("-type", "d") != "d":
        return Result("", f"find: only {', '.join(_TESTS)} are supported\n", 1)
    text, errors = "", ""
    for start in starts or ["."]:
        path = context.shell.fs.name_of(start, context.shell.cwd)
        if not context.shell.fs.exists(path):
            errors += f"find: '{start}': No such file or directory\n"
            continue
        entries = _below(context, start, path, 0, int(tests.get("-maxdepth", "99")))
        text += "".join(
            f"{name}\n" for name, place, depth in entries if _passes(context, tests, place, depth)
        )
    return Result(text, errors, int(bool(errors)))


def _first_test(words: list[str]) -> int:
    return next((index for index, word in enumerate(words) if word.startswith("-")), len(words))


def _below(
    context: Context, name: str, path: str, depth: int, most: int
) -> Iterator[tuple[str, str, int]]:
    yield name, path, depth
    if depth < most and context.shell.fs.is_dir(path):
        for entry in context.shell.fs.listing(path):
            inner = posixpath.join(path, entry)
            yield from _below(context, posixpath.join(name, entry), inner, depth + 1, most)


def _passes(context: Context, tests: dict[str, str], path: str, depth: int) -> bool:
    fs = context.shell.fs
    info = fs.local(path).stat()
    age_min = (time.time() - info.st_mtime) / 60
    is_folder = fs.is_dir(path) and not (fs.top / path.lstrip("/")).is_symlink()
    return (
        depth >= int(tests.get("-mindepth", "0"))
        and fnmatch.fnmatchcase(posixpath.basename(path), tests.get("-name", "*"))
        and ("-mmin" not in tests or age_min > int(tests["-mmin"].removeprefix("+")))
        and (is_folder or tests.get("-type") != "d")
        and tests.get("-perm", "") in ("", f"{info.st_mode & 0o7777:o}")
    )
