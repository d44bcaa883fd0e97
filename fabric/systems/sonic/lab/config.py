"""The commands of SONiC that change the configuration.

Known: sonic-net/sonic-utilities 202405, config/main.py, scripts/ecnconfig, pfcwd/main.py: texts,
and codes: click's ``ctx.fail`` gives 2; ``config load`` of a file that is not there prints a line
and gives 0; a load merges and is not checked. A reload of a file is checked from 202505 on, of
standard input never. The sorter of a patch takes longer than in proportion to its moves (2 s of CPU
for each port, and no end in sight at 642 operations): ``longest_sort`` keeps the largest.
Assumed: after a part of the rows was accepted (a fault) load and reload report success, while a
patch or replacement fails, since GCU compares at its end.
"""

from __future__ import annotations

import copy
import json
import re
from typing import TYPE_CHECKING, Any

from fabric.lab.shell.files import read_file, write_file
from fabric.lab.shell.state import Result
from fabric.systems.sonic.lab.check import ConfigRefusedError, check_config
from fabric.systems.sonic.lab.gcu import (
    PatchRefusedError,
    check_change,
    ports_taken_down,
    recreated,
    rows_changed,
    target_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.shell.state import Context, Tool
    from fabric.systems.sonic.lab import SonicStandIn
    from fabric.systems.sonic.lab.check import Tables

_CHECKPOINTS = "/etc/sonic/checkpoints"
_STARTUP = "/etc/sonic/config_db.json"
_ROOT = Result("", "Root privileges are required for this operation\n", 1)


def commands(device: SonicStandIn) -> dict[str, Tool]:
    """Return the commands by name."""
    config = _Config(device)
    return {"config": config.run}


def _fail(first: str, usage: str, error: Exception) -> Result:
    """Answer as click's ``ctx.fail`` after the red line of the command."""
    head = f"{first}\n" if first else ""
    hint = f'Usage: config {usage}\nTry "config {usage.split(maxsplit=1)[0]} -h" for help.\n\n'
    return Result("", f"{head}{hint}Error: {error}\n", 2)


class _Config:
    def __init__(self, device: SonicStandIn) -> None:
        self._device = device
        self._stdin = ""
        self._verbs: dict[str, Callable[[Context, list[str]], Result]] = {
            "load": self._load,
            "reload": self._reload,
            "replace": self._replace,
            "apply-patch": self._apply_patch,
            "checkpoint": self._checkpoint,
            "rollback": self._rollback,
            "delete-checkpoint": self._delete_checkpoint,
            "list-checkpoints": self._list_checkpoints,
            "save": self._save,
            "interface": self._interface,
        }

    def run(self, context: Context, argv: list[str], stdin: str) -> Result:
        if not context.root:
            return _ROOT
        verb = argv[1] if len(argv) > 1 else ""
        if argv[1:3] == ["qos", "reload"]:
            return Result("", "config qos reload: not supported by this stand-in\n", 1)
        if verb not in self._verbs:
            message = ValueError(f'No such command "{verb}".')
            return _fail("", "[OPTIONS] COMMAND [ARGS]...", message)
        self._stdin = stdin
        flags = {word for word in argv[2:] if re.fullmatch(r"-[a-zA-Z]|--[a-z-]+", word)}
        allowed = {"-y", "-f", "-v", "-d", "--yes", "--force", "--verbose", "--dry-run", "-n"}
        if flags - allowed:
            return _fail("", verb, ValueError(f"no such option: {min(flags - allowed)}"))
        return self._verbs[verb](context, argv[2:])

    # -- files -----------------------------------------------------------------------------------

    @staticmethod
    def _operand(words: list[str]) -> str:
        return next((word for word in words if not word.startswith("-")), "")

    @staticmethod
    def _json(context: Context, name: str) -> Any:
        return json.loads(read_file(context, name))

    def _part(self, context: Context) -> int | None:
        fault = self._device.faults.strike(context.line, "accept_part")
        return fault.count if fault else None

    def _load(self, context: Context, words: list[str]) -> Result:
        name = self._operand(words) or _STARTUP
        if not {"-y", "--yes"} & set(words):
            return Result(f"Load config from the file(s) {name} ? [y/N]: ", "Aborted!\n", 1)
        running = f"Running command: /usr/local/bin/sonic-cfggen -j {name} --write-to-db\n"
        try:
            data = self._json(context, name)
        except OSError:
            return Result(f"The config_db file {name} doesn't exist\n")
        except ValueError as error:
            return Result(running, f"json.decoder.JSONDecodeError: {error}\n", 1)
        self._merge(data, self._part(context))
        self._device.orchestrate(trains=True)
        self._device.after_change()
        return Result(running)

    def _merge(self, data: Tables, limit: int | None) -> None:
        done = 0
        for table, rows in data.items():
            for key, fields in rows.items():
                if limit is not None and done >= limit:
                    return
                done += 1
                target = self._device.running.setdefault(table, {}).setdefault(key, {})
                target.update(copy.deepcopy(fields))

    def _reload(self, context: Context, words: list[str]) -> Result:
        name = self._operand(words) or _STARTUP
        if not {"-y", "--yes"} & set(words):
            text = (
                f"Clear current config and reload config in config_db format from {name} ? [y/N]: "
            )
            return Result(text, "Aborted!\n", 1)
        try:
            piped = name == "/dev/stdin"
            data = json.loads(self._stdin) if piped else self._json(context, name)
        except OSError:
            return Result(f"The config_db file {name} doesn't exist\n")
        except ValueError as error:
            return Result("", f"json.decoder.JSONDecodeError: {error}\n", 1)
        if not piped and (self._device.release >= "202505" or "golden" in name.lower()):
            try:
                check_config(data, self._device.release)
            except ConfigRefusedError as error:
                return Result(f"{name} fails YANG validation! Error: {error}\n", "Aborted!\n", 1)
        return self._push(context, name, data)

    def _push(self, context: Context, name: str, data: Tables) -> Result:
        device = self._device
        row = data.get("DEVICE_METADATA", {}).get("localhost", {})
        out = "Disabling container monitoring ...\nStopping SONiC target ...\n"
        device.running = {}
        if not row.get("hwsku"):
            device.after_change(restart=True)
            return Result(out + "Could not get the HWSKU from config file,  Exiting!!!\n", "", 1)
        if not row.get("platform") or not row.get("mac"):
            out += "Running command: /usr/local/bin/sonic-cfggen -H -k {} --write-to-db\n".format(
                row["hwsku"]
            )
            device.running = _defaults(device, row["hwsku"])
        self._merge(data, self._part(context))
        device.after_change(restart=True)
        out += f"Running command: /usr/local/bin/sonic-cfggen -j {name} --write-to-db\n"
        out += "Restarting SONiC target ...\nEnabling container monitoring ...\n"
        return Result(out + "Reloading Monit configuration ...\n")

    def _save(self, context: Context, words: list[str]) -> Result:
        name = self._operand(words) or _STARTUP
        if not {"-y", "--yes"} & set(words):
            return Result("Existing files will be overwritten, continue? [y/N]: ", "Aborted!\n", 1)
        text = json.dumps(self._device.running, indent=4, sort_keys=True) + "\n"
        if not self._device.faults.strike(context.line, "forget_save"):
            write_file(context, name, text)
        return Result(f"Running command: /usr/local/bin/sonic-cfggen -d --print-data > {name}\n")

    # -- generic config updater ------------------------------------------------------------------

    def _change(self, context: Context, target: Tables, *, dry_run: bool, what: str) -> None:
        """Move the running configuration to ``target`` row by row.

        Raises
        ------
        PatchRefusedError
            When GCU refuses, or when its comparison at the end finds a difference.
        """
        device = self._device
        before = copy.deepcopy(device.running)
        check_change(before, target, self._device.release)
        if dry_run:
            return
        rows = rows_changed(before, target)
        limit = self._part(context)
        done = rows if limit is None else rows[:limit]
        down = ports_taken_down(done)
        device.longest_sort = max(device.longest_sort, len(rows) + 2 * len(down))
        held = {port for port in down if device.orchestration.up(port)}
        self._set_status(dict.fromkeys(held, "down"))
        for table, key in done:
            if recreated(before, target, table, key):
                device.bgp_peers.pop(key, None)
                device.hold_down(f"bgp {key}")
            self._move(before, table, key, target.get(table, {}).get(key))
        ports = target.get("PORT", {})
        self._set_status({port: ports[port]["admin_status"] for port in held & ports.keys()})
        device.after_change()
        if device.running != target:
            raise PatchRefusedError(what)

    def _set_status(self, ports: dict[str, str]) -> None:
        for port, status in ports.items():
            self._device.running["PORT"][port]["admin_status"] = status
        self._device.orchestrate(trains=True)

    def _move(self, before: Tables, table: str, key: str, fields: dict[str, Any] | None) -> None:
        """Change a row: what goes first, then what comes.

        Raises
        ------
        PatchRefusedError
            When the row is gone by now, and the release reads CONFIG_DB for every change
            (sonic-net/sonic-utilities before ac88cdce8): the ports stay down.
        """
        device = self._device
        old = before.get(table, {}).get(key)
        if old is not None and key not in device.table(table) and device.release != "master":
            raise PatchRefusedError(f"can't replace a non-existent object '{key}'")
        rest = {name: value for name, value in (old or {}).items() if name in (fields or {})}
        if old and fields and len(rest) < len(old):
            self._set_row(table, key, rest)
            device.orchestrate()
        self._set_row(table, key, fields)
        device.orchestrate()

    def _set_row(self, table: str, key: str, fields: dict[str, Any] | None) -> None:
        running = self._device.running
        if fields is None:
            running.get(table, {}).pop(key, None)
            if not running.get(table):
                running.pop(table, None)
        else:
            running.setdefault(table, {})[key] = copy.deepcopy(fields)

    def _apply_patch(self, context: Context, words: list[str]) -> Result:
        dry_run = bool({"-d", "--dry-run"} & set(words))
        left = "After applying patch to config, there are still some parts not updated"
        try:
            target = target_of(self._device.running, self._json(context, self._operand(words)))
            self._change(context, target, dry_run=dry_run, what=left)
        except (PatchRefusedError, OSError, ValueError) as error:
            first = f"Failed to apply patch due to: {error}"
            return _fail(first, "apply-patch [OPTIONS] PATCH_FILE_PATH", error)
        head = "** DRY RUN EXECUTION **\n" if dry_run else ""
        return Result(f"{head}Patch applied successfully.\n")

    def _replace_with(self, context: Context, name: str, *, dry_run: bool) -> None:
        target = self._json(context, name)
        if not isinstance(target, dict):
            raise PatchRefusedError("Given config is not valid")
        left = "After replacing config, there is still some parts not updated"
        self._change(context, target, dry_run=dry_run, what=left)

    def _replace(self, context: Context, words: list[str]) -> Result:
        dry_run = bool({"-d", "--dry-run"} & set(words))
        try:
            self._replace_with(context, self._operand(words), dry_run=dry_run)
        except (PatchRefusedError, OSError, ValueError) as error:
            return _fail("Failed to replace config", "replace [OPTIONS] TARGET_FILE_PATH", error)
        head = "** DRY RUN EXECUTION **\n" if dry_run else ""
        return Result(f"{head}Config replaced successfully.\n")

    def _path(self, words: list[str]) -> str:
        name = self._operand(words)
        if not re.fullmatch(r"[\w.-]+", name):
            raise PatchRefusedError(f"Checkpoint '{name}' does not exist")
        return f"{_CHECKPOINTS}/{name}.cp.json"

    def _existing(self, words: list[str]) -> str:
        path = self._path(words)
        if not self._device.fs.exists(path):
            raise PatchRefusedError(f"Checkpoint '{self._operand(words)}' does not exist")
        return path

    def _checkpoint(self, _context: Context, words: list[str]) -> Result:
        try:
            path = self._path(words)
            check_config(self._device.running, self._device.release)
        except (PatchRefusedError, ConfigRefusedError) as error:
            usage = "checkpoint [OPTIONS] CHECKPOINT_NAME"
            return _fail("Failed to create a config checkpoint", usage, error)
        self._device.fs.put(path, json.dumps(self._device.running))
        return Result("Checkpoint created successfully.\n")

    def _rollback(self, context: Context, words: list[str]) -> Result:
        try:
            self._replace_with(context, self._existing(words), dry_run=False)
        except (PatchRefusedError, OSError, ValueError) as error:
            return _fail("Failed to rollback config", "rollback [OPTIONS] CHECKPOINT_NAME", error)
        return Result("Config rolled back successfully.\n")

    def _delete_checkpoint(self, _context: Context, words: list[str]) -> Result:
        try:
            path = self._existing(words)
        except PatchRefusedError as error:
            usage = "delete-checkpoint [OPTIONS] CHECKPOINT_NAME"
            return _fail("Failed to delete config checkpoint", usage, error)
        self._device.fs.local(path).unlink()
        return Result("Checkpoint deleted successfully.\n")

    def _list_checkpoints(self, _context: Context, _words: list[str]) -> Result:
        names = self._device.fs.listing(_CHECKPOINTS)
        checkpoints = [name.removesuffix(".cp.json") for name in names if name.endswith(".cp.json")]
        return Result(json.dumps(checkpoints, indent=4) + "\n")

    # -- single settings -------------------------------------------------------------------------

    def _interface(self, _context: Context, words: list[str]) -> Result:
        device = self._device
        match words:
            case ["startup" | "shutdown" as verb, names]:
                ports = names.split(",")
                missing = [port for port in ports if port not in device.table("PORT")]
                if missing:
                    message = ValueError(
                        "Interface name is invalid. Please enter a valid interface name!!"
                    )
                    return _fail("", f"interface {verb} [OPTIONS] INTERFACE_NAME", message)
                for port in ports:
                    status = "up" if verb == "startup" else "down"
                    device.running["PORT"][port]["admin_status"] = status
            case ["pfc", "priority", port, priority, "on" | "off" as state]:
                if port not in device.table("PORT") or not re.fullmatch("[0-7]", priority):
                    return Result("", f"Cannot find interface {port}\n", 1)
                rows = device.running.setdefault("PORT_QOS_MAP", {})
                row = rows.setdefault(port, {})
                enabled = {item for item in str(row.get("pfc_enable", "")).split(",") if item}
                enabled = enabled | {priority} if state == "on" else enabled - {priority}
                row["pfc_enable"] = ",".join(sorted(enabled))
            case _:
                message = ValueError(f'No such command "{" ".join(words)}".')
                return _fail("", "interface [OPTIONS] COMMAND [ARGS]...", message)
        device.after_change()
        return Result()


def _defaults(device: SonicStandIn, sku: str) -> Tables:
    """Return the little that the defaults of a SKU are here: ports that are down, no QoS."""
    ports = {
        f"Ethernet{number}": {
            "alias": f"etp{number // 8 + 1}",
            "lanes": ",".join(str(number + lane) for lane in range(8)),
            "index": str(number // 8 + 1),
            "speed": "400000",
            "admin_status": "down",
        }
        for number in range(0, 256, 8)
    }
    row = {"hwsku": sku, "platform": device.platform, "mac": device.spec.mac, "hostname": "sonic"}
    return {"DEVICE_METADATA": {"localhost": row}, "PORT": ports}
