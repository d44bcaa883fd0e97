"""ecnconfig and pfcwd of SONiC: live changes of thresholds and of the watchdog.

Known: sonic-net/sonic-utilities 202405, scripts/ecnconfig and pfcwd/main.py (texts, ranges, the
restoration time of twice the detection time). Assumed: the code of a refused value is 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.lab.shell.state import Result

if TYPE_CHECKING:
    from fabric.lab.shell.state import Context, Tool
    from fabric.systems.sonic.lab import SonicStandIn


def commands(device: SonicStandIn) -> dict[str, Tool]:
    """Return the commands by name."""
    tuning = _Tuning(device)
    return {"ecnconfig": tuning.ecnconfig, "pfcwd": tuning.pfcwd}


def _show(device: SonicStandIn, context: Context, *words: str) -> Result:
    answer = device.tools["show"](context, ["show", *words], "")
    assert isinstance(answer, Result)
    return answer


class _Tuning:
    def __init__(self, device: SonicStandIn) -> None:
        self._device = device

    def ecnconfig(self, context: Context, argv: list[str], _stdin: str) -> Result:
        device = self._device
        if argv[1:] == ["-l"]:
            return _show(device, context, "ecn")
        names = {"-gmin": "green_min_threshold", "-gmax": "green_max_threshold"}
        names |= {"-ymin": "yellow_min_threshold", "-ymax": "yellow_max_threshold"}
        names |= {"-rmin": "red_min_threshold", "-rmax": "red_max_threshold"}
        names |= {f"-{c[0]}drop": f"{c}_drop_probability" for c in ("green", "yellow", "red")}
        options = dict(zip(argv[1::2], argv[2::2], strict=False))
        profile = options.pop("-p", "")
        if len(argv) % 2 == 0 or set(options) - set(names) or not options:
            return Result(
                "", "usage: ecnconfig [-h] [-l] [-p PROFILE] [-gmin N] [-gmax N] ...\n", 2
            )
        if not context.root:
            return Result("", "Root privileges required for this operation\n", 1)
        row = device.table("WRED_PROFILE").get(profile)
        if row is None:
            return Result(f"Error: profile {profile} does not exist.\n", "", 1)
        after = dict(row) | {names[option]: value for option, value in options.items()}
        problem = _wred_problem(after)
        if problem:
            return Result(problem, "", 1)
        row.update(after)
        device.after_change()
        return Result()

    def pfcwd(self, context: Context, argv: list[str], _stdin: str) -> Result:
        device = self._device
        match argv[1:]:
            case ["show", "config", *_]:
                return _show(device, context, "pfcwd", "config")
            case ["show", "stats", *_]:
                return _show(device, context, "pfcwd", "stats")
            case _ if not context.root:
                return Result("", "Root privileges are required for this operation\n", 1)
            case ["interval", value] if value.isdigit():
                lowest = min(
                    (
                        int(row[name])
                        for row in device.table("PFC_WD").values()
                        for name in ("detection_time", "restoration_time")
                        if name in row
                    ),
                    default=3000,
                )
                if not 100 <= int(value) <= 3000:  # noqa: PLR2004  (the option's range)
                    return Result("", f"Error: Invalid value for poll_interval: {value}\n", 2)
                if int(value) > lowest:
                    text = (
                        f"unable to use polling interval = {value}ms, value is bigger than one of "
                    )
                    return Result("", f"{text}the configured detection times\n", 1)
                row = device.running.setdefault("PFC_WD", {}).setdefault("GLOBAL", {})
                row["POLL_INTERVAL"] = value
            case ["stop", *ports]:
                rows = device.running.get("PFC_WD", {})
                for port in [
                    key for key in rows if key != "GLOBAL" and (not ports or key in ports)
                ]:
                    del rows[port]
                if not rows:
                    device.running.pop("PFC_WD", None)
            case ["start", *words]:
                return self._pfcwd_start(words)
            case _:
                return Result("", 'Error: No such command "pfcwd".\n', 2)
        device.after_change()
        return Result()

    def _pfcwd_start(self, words: list[str]) -> Result:
        device = self._device
        options: dict[str, str] = {}
        operands: list[str] = []
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if word in ("--action", "-a", "--restoration-time", "-r"):
                options["action" if "a" in word[:3] else "restoration_time"] = (
                    rest.pop(0) if rest else ""
                )
            else:
                operands.append(word)
        if len(operands) < 2 or not operands[-1].isdigit():  # noqa: PLR2004  (ports and time)
            return Result("", "Usage: pfcwd start [OPTIONS] [PORTS]... DETECTION_TIME\n", 2)
        detection = operands.pop()
        restoration = options.get("restoration_time", str(2 * int(detection)))
        action = options.get("action", "drop")
        if action not in ("drop", "forward", "alert"):
            return Result("", f'Error: Invalid value for "--action": {action}\n', 2)
        ports = list(device.table("PORT")) if operands == ["all"] else operands
        out = ""
        for port in ports:
            if not device.table("PORT_QOS_MAP").get(port, {}).get("pfc_enable"):
                out += f"SKIPPED: PFC is not enabled on port: {port}\n"
                continue
            rows = device.running.setdefault("PFC_WD", {})
            rows.setdefault("GLOBAL", {"POLL_INTERVAL": "200"})
            row = {"action": action, "detection_time": detection}
            rows[port] = {**row, "restoration_time": restoration}
        device.after_change()
        return Result(out)


def _wred_problem(row: dict[str, str]) -> str:
    for colour in ("green", "yellow", "red"):
        letter = colour[0]
        low, high = (row.get(f"{colour}_{end}_threshold", "0") for end in ("min", "max"))
        drop = row.get(f"{colour}_drop_probability", "0")
        for name, value in ((f"{letter}min", low), (f"{letter}max", high)):
            if not value.isdigit():
                return f"Invalid {name} ({value}). {name} should be an non-negative integer.\n"
        if not drop.isdigit() or int(drop) > 100:  # noqa: PLR2004  (percent)
            name = f"{letter}drop"
            return f"Invalid {name} ({drop}). {name} should be an integer between 0 and 100.\n"
        if int(low) > int(high):
            pair = f"Invalid {letter}min ({low}) and {letter}max ({high}). "
            return f"{pair}{letter}min should be smaller than {letter}max\n"
    return ""
