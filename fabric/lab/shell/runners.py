"""Commands that run other commands, tests and waits: sudo, sh, test, command, sleep.

Known: IEEE Std 1003.1-2017, volume "Shell & Utilities"; what sudo allows is in `sudoers`. Assumed:
``sleep`` waits at most one second of real time and does not move the lab clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.lab.shell.special import SPECIAL
from fabric.lab.shell.state import Result
from fabric.lab.shell.sudoers import allows

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.shell.rootfs import RootFs
    from fabric.lab.shell.state import Context, Tool

_MAX_SLEEP_S = 1.0
_UNARY: dict[str, Callable[[RootFs, str], bool]] = {
    "-e": lambda fs, path: fs.exists(path),
    "-f": lambda fs, path: fs.local(path).is_file(),
    "-d": lambda fs, path: fs.is_dir(path),
    "-s": lambda fs, path: fs.exists(path) and fs.local(path).stat().st_size > 0,
    "-r": lambda fs, path: fs.exists(path),
    "-L": lambda fs, path: (fs.top / path.lstrip("/")).is_symlink(),
    "-x": lambda fs, path: fs.exists(path) and bool(fs.local(path).stat().st_mode & 0o111),
}
_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda left, right: left == right,
    "-ne": lambda left, right: left != right,
    "-lt": lambda left, right: left < right,
    "-le": lambda left, right: left <= right,
    "-gt": lambda left, right: left > right,
    "-ge": lambda left, right: left >= right,
}


def _test(context: Context, argv: list[str], _stdin: str) -> Result:
    words = argv[1:]
    if argv[0] == "[" and (not words or words.pop() != "]"):
        return Result("", "-bash: [: missing `]'\n", 2)
    negated = False
    while words and words[0] == "!" and len(words) > 1:
        negated, words = not negated, words[1:]
    try:
        holds = _holds(context, words)
    except ValueError as error:
        return Result("", f"-bash: {argv[0]}: {error}\n", 2)
    return Result(rc=int(holds == negated))


def _holds(context: Context, words: list[str]) -> bool:
    fs, cwd = context.shell.fs, context.shell.cwd
    match words:
        case []:
            return False
        case [word]:
            return word != ""
        case ["-n", word]:
            return word != ""
        case ["-z", word]:
            return word == ""
        case ["-w", word]:
            path = fs.name_of(word, cwd)
            return fs.exists(path) and fs.may_write(path, root=context.shell.root)
        case [operator, word] if operator in _UNARY:
            return _UNARY[operator](fs, fs.name_of(word, cwd))
        case [left, "=" | "==", right]:
            return left == right
        case [left, "!=", right]:
            return left != right
        case [left, operator, right] if operator in _COMPARE:
            return _COMPARE[operator](_integer(left), _integer(right))
    raise ValueError(f"{' '.join(words)}: expression is not supported")


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{text}: integer expression expected") from None


async def _sudo(context: Context, argv: list[str], _stdin: str) -> Result:
    words, asks = argv[1:], False
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word == "--":
            break
        if word == "-l":
            asks = True
        elif word in ("-u", "--user"):
            if not words or words.pop(0) != "root":
                return Result("", "sudo: only the user root is supported\n", 1)
        elif word not in ("-n", "-E", "-S", "-H", "-k"):
            return Result("", f"sudo: option {word} is not supported\n", 1)
    values = {}
    while words and "=" in words[0].lstrip("=") and words[0].split("=")[0].isidentifier():
        name, _, values_text = words.pop(0).partition("=")
        values[name] = values_text
    if not words:
        return Result("", "usage: sudo [-n] command\n", 1)
    if words[0] in SPECIAL:
        return Result("", f"sudo: {words[0]}: command not found\n", 1)
    twin = context.shell.child()
    twin.root, twin.functions = True, {}
    twin.variables.update(values)
    twin.variables["USER"] = "root"
    if words[0] not in twin.tools and "/" not in words[0]:
        return Result("", f"sudo: {words[0]}: command not found\n", 1)
    allowed = context.root or allows(context.shell.fs, context.shell.user, words)
    if asks:
        return Result(f"/usr/bin/{' '.join(words)}\n" if allowed else "", "", int(not allowed))
    if not allowed:
        return Result("", "sudo: a password is required\n", 1)
    return Result(rc=await twin.call(words, context.streams))


async def _sh(context: Context, argv: list[str], stdin: str) -> Result:
    twin = context.shell.child()
    twin.functions, twin.options, twin.name = {}, set(), argv[0]
    words = argv[1:]
    command = False
    while words and words[0].startswith("-") and words[0] != "-":
        letters = words.pop(0)[1:]
        if not letters or set(letters) - set("ceuls"):
            return Result("", f"{argv[0]}: -{letters}: invalid option\n", 2)
        twin.options |= set(letters) & {"e", "u"}
        command = command or "c" in letters
    if command:
        if not words:
            return Result("", f"{argv[0]}: -c: option requires an argument\n", 2)
        if len(words) > 1:
            twin.name = words[1]
        return Result(rc=await twin.run_script(words[0], context.streams, words[2:]))
    if not words or words[0] in ("-", "-s"):
        return Result(rc=await twin.run_script(stdin, context.streams, words[1:]))
    path = twin.fs.name_of(words[0], twin.cwd)
    if not twin.fs.exists(path) or twin.fs.is_dir(path):
        return Result("", f"{argv[0]}: 0: cannot open {words[0]}: No such file\n", 2)
    return Result(rc=await twin.run_file(path, words[1:], context.streams))


async def _command(context: Context, argv: list[str], _stdin: str) -> Result:
    if argv[1:2] == ["-v"]:
        text = ""
        for name in argv[2:]:
            shell = context.shell
            if name in SPECIAL or name in shell.functions:
                text += f"{name}\n"
            elif shell.finds(name):
                text += f"/usr/bin/{name}\n"
        return Result(text, "", int(not text))
    if argv[1:2] and argv[1].startswith("-"):
        return Result("", f"-bash: command: {argv[1]}: invalid option\n", 2)
    return Result(rc=await context.shell.call(argv[1:], context.streams) if argv[1:] else 0)


async def _sleep(context: Context, argv: list[str], _stdin: str) -> Result:
    try:
        seconds = float(argv[1].removesuffix("s"))
    except (IndexError, ValueError):
        return Result("", f"sleep: invalid time interval '{' '.join(argv[1:])}'\n", 1)
    await context.shell.delay(min(seconds, _MAX_SLEEP_S))
    return Result()


async def _source(context: Context, argv: list[str], _stdin: str) -> Result:
    if len(argv) != 2:  # noqa: PLR2004  (one file)
        return Result("", f"-bash: {argv[0]}: exactly one file is supported\n", 2)
    text = context.shell.fs.read(context.shell.fs.name_of(argv[1], context.shell.cwd))
    return Result(rc=await context.shell.run(text, context.streams))


RUNNERS: dict[str, Tool] = {
    "[": _test,
    "test": _test,
    "sudo": _sudo,
    "sh": _sh,
    "bash": _sh,
    "dash": _sh,
    "command": _command,
    "sleep": _sleep,
    ".": _source,
    "source": _source,
}
