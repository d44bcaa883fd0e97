"""The special built-ins of the shell: those that change the shell itself, or its terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.lab.shell.state import LoopJump, ReturnJump, ShellExit, Streams

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.shell.state import ShellState


def _code(argv: list[str], default: int) -> int:
    if len(argv) < 2:  # noqa: PLR2004  (no operand)
        return default
    if not argv[1].isdigit():
        raise ShellExit(2, f"{argv[0]}: {argv[1]}: numeric argument required")
    return int(argv[1]) & 0xFF


def _exit(shell: ShellState, argv: list[str], _streams: Streams) -> int:
    raise ShellExit(_code(argv, shell.status))


def _return(shell: ShellState, argv: list[str], _streams: Streams) -> int:
    raise ReturnJump(_code(argv, shell.status))


def _break(shell: ShellState, argv: list[str], _streams: Streams) -> int:
    if len(argv) > 1:
        raise ShellExit(2, f"{argv[0]}: a count is not supported")
    raise LoopJump(again=argv[0] == "continue")


def _set(shell: ShellState, argv: list[str], streams: Streams) -> int:
    words = argv[1:]
    while words:
        word = words.pop(0)
        if word == "--":
            shell.frames[-1].arguments = words
            return 0
        if word[0] not in "+-" or len(word) == 1 or set(word[1:]) - set("euof"):
            streams.err(f"{shell.name}: set: {word}: invalid option\n")
            return 2
        names = {letter for letter in word[1:] if letter in "eu"}
        if "o" in word[1:]:
            name = words.pop(0) if words else ""
            if name not in ("pipefail", "errexit", "nounset"):
                streams.err(f"{shell.name}: set: {name}: invalid option name\n")
                return 2
            names.add({"errexit": "e", "nounset": "u"}.get(name, name))
        shell.options = shell.options | names if word[0] == "-" else shell.options - names
    return 0


def _local(shell: ShellState, argv: list[str], streams: Streams) -> int:
    frame = shell.frames[-1]
    if not frame.function:
        streams.err(f"{shell.name}: local: can only be used in a function\n")
        return 1
    for word in argv[1:]:
        name, _, value = word.partition("=")
        frame.saved.setdefault(name, shell.variables.get(name))
        shell.variables[name] = value
    return 0


def _export(shell: ShellState, argv: list[str], _streams: Streams) -> int:
    for word in argv[1:]:
        name, sign, value = word.partition("=")
        if sign:
            shell.variables[name] = value
    return 0


def _unset(shell: ShellState, argv: list[str], _streams: Streams) -> int:
    for name in argv[1:]:
        shell.variables.pop(name, None)
    return 0


def _shift(shell: ShellState, argv: list[str], _streams: Streams) -> int:
    count = _code(argv, 1)
    if count > len(shell.arguments()):
        return 1
    del shell.arguments()[:count]
    return 0


def _cd(shell: ShellState, argv: list[str], streams: Streams) -> int:
    target = argv[1] if len(argv) > 1 else shell.fs.home
    path = shell.fs.name_of(target, shell.cwd)
    if not shell.fs.is_dir(path):
        streams.err(f"{shell.name}: cd: {target}: No such file or directory\n")
        return 1
    shell.cwd = path
    return 0


def _stty(shell: ShellState, argv: list[str], streams: Streams) -> int:
    if argv[1:] not in (["echo"], ["-echo"]):
        streams.err(f"stty: invalid argument '{' '.join(argv[1:])}'\n")
        return 1
    shell.is_echoing = argv[1] == "echo"
    return 0


SPECIAL: dict[str, Callable[[ShellState, list[str], Streams], int]] = {
    "exit": _exit,
    "return": _return,
    "break": _break,
    "continue": _break,
    "set": _set,
    "local": _local,
    "export": _export,
    "unset": _unset,
    "shift": _shift,
    "cd": _cd,
    "stty": _stty,
}
