"""The time of a stand-in, and locks between its sessions: date, flock.

Known: date(1) of GNU coreutils for ``+%s`` and ``-d '+N seconds'``; flock(1) of util-linux with a
command and ``-w``. Assumed: the machine's own clock; the lab clock moves commit timers alone.
"""

from __future__ import annotations

import asyncio
import posixpath
import re
import time
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from fabric.lab.shell.state import Result

if TYPE_CHECKING:
    from fabric.lab.shell.rootfs import RootFs
    from fabric.lab.shell.state import Context, Tool

_LATER = re.compile(r"\+(\d+) seconds")
_TIMED_OUT = 1
_NO_INPUT = 66  # EX_NOINPUT of sysexits.h: the folder of the file is missing
_LOCKS: WeakKeyDictionary[RootFs, dict[str, asyncio.Lock]] = WeakKeyDictionary()


def _date(_context: Context, argv: list[str], _stdin: str) -> Result:
    words, later_s = argv[1:], 0
    if words[:1] == ["-d"] and len(words) > 1:
        match = _LATER.fullmatch(words[1])
        if not match:
            return Result("", f"date: invalid date '{words[1]}'\n", 1)
        words, later_s = words[2:], int(match[1])
    if words != ["+%s"]:
        return Result("", "date: only +%s is supported\n", 1)
    return Result(f"{int(time.time()) + later_s}\n")


async def _flock(context: Context, argv: list[str], _stdin: str) -> Result:
    words, wait_s = argv[1:], None
    if words[:1] == ["-w"] and len(words) > 1:
        words, wait_s = words[2:], float(words[1])
    if len(words) < 2 or words[0].startswith("-"):  # noqa: PLR2004 - a file and a command
        return Result("", "flock: only -w SECONDS FILE COMMAND is supported\n", 64)
    fs = context.shell.fs
    path = fs.name_of(words[0], context.shell.cwd)
    if not fs.is_dir(posixpath.dirname(path)):
        said = f"flock: cannot open lock file {words[0]}: No such file or directory\n"
        return Result("", said, _NO_INPUT)
    if not fs.exists(path):
        fs.write(path, "")
    lock = _LOCKS.setdefault(fs, {}).setdefault(path, asyncio.Lock())
    try:
        await asyncio.wait_for(lock.acquire(), wait_s)
    except TimeoutError:
        return Result(rc=_TIMED_OUT)
    try:
        return Result(rc=await context.shell.call(words[1:], context.streams))
    finally:
        lock.release()


CLOCKS: dict[str, Tool] = {"date": _date, "flock": _flock}
