"""The command ``nv`` of the stand-in: set, unset and config; ``nv show`` is in ``cumulus_show``.

Known: CumulusNetworks/docs, content/cumulus-linux-514, NVUE CLI (sub-commands and options,
``created [rev_id: 35]``, ``applied [rev_id: 5]``, ``Invalid config [rev_id: 8]``, revisions
``applied``, ``startup``, ``empty`` and ``pending``, a bare number after ``--confirm`` means
minutes, 10 minutes without one; set and unset do not go together in one patch); ``nv config
revision -o json`` with the state ``confirm``, and ``--confirm-yes`` and ``--confirm-no``, as public
drivers use them. Assumed: one pending revision for all users; the state of a revision that is not
in use is ``inactive``; an unconfirmed revision is not saved; the text of ``--confirm-status`` and
of errors.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from fabric.lab.shell.state import Result
from fabric.systems.cumulus.lab.config import LineError, change, commands, complaints
from fabric.systems.cumulus.lab.show import show
from fabric.systems.cumulus.platforms.lines import split

if TYPE_CHECKING:
    from fabric.lab.shell.state import Context
    from fabric.systems.cumulus.lab import CumulusStandIn

_UNITS_S = {"s": 1, "m": 60, "h": 3600, "": 60}
_DEFAULT_CONFIRM = "10m"
_VALUED = ("-m", "--message", "-o", "--output")


def run(device: CumulusStandIn, context: Context, argv: list[str]) -> Result:
    """Answer ``nv``."""
    words = argv[1:]
    try:
        if words[:1] in (["set"], ["unset"]) and len(words) > 1:
            number = device.pending_revision()
            revision = device.revisions[number]
            revision.config = change(revision.config, words[0], words[1:], device.words)
            return Result(f"updated [rev_id: {number}]\n")
        if words[:1] == ["show"]:
            return show(device, words[1:])
        if words[:1] == ["config"] and len(words) > 1:
            return _config(device, context, words[1], words[2:])
    except LineError as error:
        return Result("", f"{error}\n", 1)
    return _unknown(words)


def _unknown(words: list[str]) -> Result:
    return Result("", f"Error: Invalid Command: {' '.join(words)}\n", 1)


def _config(device: CumulusStandIn, context: Context, verb: str, words: list[str]) -> Result:
    if verb == "apply":
        return _apply(device, words)
    if verb == "patch" and len(words) == 1:
        return _patch(device, context, words[0])
    if verb == "show" and words == ["-o", "commands"]:
        return Result(commands(device.applied))
    if verb == "diff":
        return _diff(device, words)
    if verb == "revision" and words == ["-o", "json"]:
        rows = {str(n): {"state": item.state} for n, item in sorted(device.revisions.items())}
        return Result(json.dumps(rows, indent=2) + "\n")
    if verb == "history" and words == ["-o", "json"]:
        return Result(json.dumps(device.history, indent=2) + "\n")
    if verb == "save" and not words:
        device.save()
        return Result("saved [rev_id: applied]\n")
    if verb == "detach" and not words:
        device.detach()
        return Result()
    return _unknown(["config", verb, *words])


def _patch(device: CumulusStandIn, context: Context, path: str) -> Result:
    name = context.shell.fs.name_of(path, context.shell.cwd)
    if not context.shell.fs.exists(name):
        return Result("", f"Error: {path}: No such file or directory\n", 1)
    lines = [line for line in context.shell.fs.read(name).splitlines() if line.strip()]
    part = device.faults.strike(context.line, "accept_part")
    verbs = {tuple(split(line)[:2]) for line in lines}
    if not lines or not verbs <= {("nv", "set"), ("nv", "unset")} or len(verbs) > 1:
        message = "Error: a patch holds lines of nv set or of nv unset, and not both\n"
        return Result("", message, 1)
    created = device.pending is None
    number = device.pending_revision()
    config = device.revisions[number].config
    for line in lines[: part.count] if part else lines:
        fault = device.faults.strike(line, "refuse_line")
        if fault:
            raise LineError(fault.text or f"Error: Invalid parameter in '{line}'")
        _, verb, *rest = split(line)
        config = change(config, verb, rest, device.words)
    device.revisions[number].config = config
    return Result(f"{'created' if created else 'updated'} [rev_id: {number}]\n")


def _diff(device: CumulusStandIn, words: list[str]) -> Result:
    if words[-2:] != ["-o", "commands"] or len(words) != 4:  # noqa: PLR2004  (two revisions)
        return _unknown(["config", "diff", *words])
    left, right = device.named(words[0]), device.named(words[1])
    return Result(commands(left - right, "unset") + commands(right - left))


def _options(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """Split the words after ``apply``; ``--confirm`` takes a time when one follows."""
    found, operands, rest = {}, [], list(words)
    while rest:
        word = rest.pop(0)
        if word == "--confirm":
            timed = bool(rest) and re.fullmatch(r"\d+[smh]?", rest[0]) is not None
            found[word] = rest.pop(0) if timed else _DEFAULT_CONFIRM
        elif word in _VALUED:
            found[word] = rest.pop(0) if rest else ""
        elif word.startswith("-"):
            found[word] = ""
        else:
            operands.append(word)
    return found, operands


def _apply(device: CumulusStandIn, words: list[str]) -> Result:
    options, operands = _options(words)
    known = {"--confirm", "--confirm-yes", "--confirm-no", "--confirm-status", "-y", "-m"}
    if set(options) - known - {"--assume-yes", "--message"} or len(operands) > 1:
        return _unknown(["config", "apply", *words])
    if "--confirm-status" in options:
        left = device.confirm_left_s()
        return Result(f"{left:.0f}s\n" if left is not None else "No confirmation pending\n")
    for option, keep in (("--confirm-yes", True), ("--confirm-no", False)):
        if option in options:
            return _settle(device, operands, keep=keep)
    return _commit(device, operands, options)


def _settle(device: CumulusStandIn, operands: list[str], *, keep: bool) -> Result:
    waiting = device.confirming
    if waiting is None or operands not in ([], [str(waiting)]):
        return Result("", "Error: no revision waits for a confirmation\n", 1)
    if keep:
        device.keep()
    else:
        device.go_back()
    return Result(f"applied [rev_id: {device.applied_revision}]\n")


def _commit(device: CumulusStandIn, operands: list[str], options: dict[str, str]) -> Result:
    number = int(operands[0]) if operands and operands[0].isdecimal() else device.pending
    if number is None or number not in device.revisions:
        return Result("", "Error: there is no such revision\n", 1)
    if device.confirming is not None:
        return Result("", "Error: another revision waits for its confirmation\n", 1)
    if not {"-y", "--assume-yes"} & options.keys():
        return Result("", "Are you sure? [y/N] aborted\n", 1)
    wrong = list(complaints(device.revisions[number].config, device.words))
    if wrong:
        text = "".join(f"  {line}\n" for line in wrong)
        return Result(f"Invalid config [rev_id: {number}]\n{text}", "", 1)
    time = re.fullmatch(r"(\d+)([smh]?)", options.get("--confirm", ""))
    device.apply(number, int(time[1]) * _UNITS_S[time[2]] if time else None)
    return Result(f"applied [rev_id: {number}]\n")
