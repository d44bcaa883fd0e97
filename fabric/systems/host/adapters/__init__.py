"""Hosts: files, and the live settings that they are to bring about."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fabric.change.adapter import Draft, adapters
from fabric.change.model import Change, Risk
from fabric.design.qos import BEST_EFFORT
from fabric.devices.candidate import Files, RemoteFile
from fabric.systems.host.adapters.commands import (
    FOLDER,
    NETPLAN,
    NETWORKD,
    PROFILES,
    restore_commands,
)
from fabric.systems.host.adapters.owners import other_files
from fabric.systems.host.adapters.settings import stands_in
from fabric.systems.host.parsers import UNAVAILABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.core.artefact import Artefact
    from fabric.devices.driver import Driver
    from fabric.observe.snapshot import Running

_PROGRAMS = ("apply.sh", "check.sh")
_ROOT = "rootfs/"
#: Sorts before 99-sysctl.conf, which then won at boot.
_OLD_SYSCTL = "/etc/sysctl.d/90-rocefab"
#: mlx5 toggles the link when the PFC mask changes (Linux mlx5 en_dcbnl.c, mlx5_toggle_port_link).
_FLAPS = ("pfc",)
_BRIEF = ("mtu_bytes", "addresses", "table", "dcbx", "trust", "dscp_to_priority")
_SUBJECTS = {
    "mlnx_qos": ("qos:{interface}", "cnp:{interface}", "tc:{device}"),
    "dcb": (*(f"dcb_{what}:{{interface}}" for what in ("pfc", "ets", "app", "dcbx")),),
    "ip": ("ip:{interface}",),
}
_DCQCN = {"mlnx_qos": ("ecn:{interface}",), "dcb": ("cc:{interface}",)}
_SUBSETS = ("dscp_to_priority", "tsa", "bandwidth_percent")
#: Settings that are passed over, whole or in part, where the driver has no place for them.
_OPTIONAL = ("dcqcn",)


def expected_state(artefacts: Sequence[Artefact]) -> dict[str, Any]:
    """Return the live settings that the artefacts of a host are to bring about, by NIC."""
    nics: dict[str, Any] = _state(artefacts)["nics"]
    return nics


def _state(artefacts: Sequence[Artefact]) -> dict[str, Any]:
    text = next(item.text for item in artefacts if item.kind == "expected-state")
    state: dict[str, Any] = json.loads(text)
    return state


def settings_apart(live: dict[str, Any], expected: dict[str, Any]) -> Iterator[Change]:
    """Yield the settings of the NICs that are not as expected.

    Only what is expected counts: further addresses and DSCPs are left alone. A setting that the
    driver of the NIC does not offer is passed over.
    """
    for interface, settings in expected.items():
        running = live.get(interface, {})
        for name, value in settings.items():
            now = running.get(name, UNAVAILABLE if name in _OPTIONAL else None)
            if now == UNAVAILABLE or _matches(name, now, value):
                continue
            risk = Risk.PORT_FLAP if name in _FLAPS else Risk.HARMLESS
            risk = Risk.BRIEF_LOSS if name in _BRIEF else risk
            yield Change(
                f"{interface} {name}", _show(_before(name, now, value)), _show(value), risk
            )


def kernel_apart(live: dict[str, Any], planned: dict[str, Any]) -> Iterator[Change]:
    """Yield the settings beside the NICs that are not as planned.

    What is only kept for the rollback is planned as None. Of lists all that is planned must be
    there. A parameter that the kernel does not have is passed over; `passed_over` names it.
    """
    for subject, value in planned.items():
        now = _now(live, subject, value)
        if value is None or now in (UNAVAILABLE, value):
            continue
        if isinstance(value, list) and all(stands_in(line, now or ()) for line in value):
            continue
        risk = Risk.BRIEF_LOSS if isinstance(value, list) else Risk.HARMLESS
        yield Change(subject.removeprefix("sysctl:"), _plain(now), _plain(value), risk)


def passed_over(live: dict[str, Any], planned: dict[str, Any]) -> tuple[str, ...]:
    """Return what is planned and the host does not have."""
    return tuple(
        subject.removeprefix("sysctl:")
        for subject, value in planned.items()
        if value is not None and _now(live, subject, value) == UNAVAILABLE
    )


def _now(live: dict[str, Any], subject: str, planned: Any) -> Any:
    """Return what runs; a single value of which the driver says nothing is not offered."""
    return live.get(subject, None if isinstance(planned, list) else UNAVAILABLE)


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(value)
    return "" if value is None else str(value)


def _matches(name: str, now: Any, expected: Any) -> bool:
    if now is None:
        return False
    if name == "addresses":
        return set(expected) <= set(now)
    return bool(_relevant(name, now, expected) == expected)


def _relevant(name: str, now: Any, expected: Any) -> Any:
    if name in _OPTIONAL and isinstance(now, dict):
        return {key: now.get(key, value) for key, value in expected.items()}
    if name in _SUBSETS and isinstance(now, dict):
        return {key: now.get(key) for key in expected}
    return now


def _before(name: str, now: Any, expected: Any) -> Any:
    """Return what a person reads of a running value: of DSCPs also those that lose our class."""
    relevant = _relevant(name, now, expected)
    if name not in _SUBSETS or not isinstance(now, dict):
        return relevant
    classes = {*expected.values()} - {BEST_EFFORT} if name == "dscp_to_priority" else set()
    return {key: value for key, value in now.items() if key in expected or value in classes}


def _show(value: Any) -> str:
    return "" if value is None else json.dumps(value)


class HostAdapter:
    """Changes hosts."""

    def files(self, artefacts: Sequence[Artefact]) -> list[str]:
        """Return the paths on the host, and those that another network stack would have."""
        placed = [path for path, _ in _placed(artefacts)]
        planned = any(item.kind == "expected-state" for item in artefacts)
        state = _state(artefacts) if planned else {"nics": {}}
        return [*placed, *(path for path in _stack_files(state) if path not in placed)]

    def subjects(self, artefacts: Sequence[Artefact]) -> list[str]:
        """Return the readings of every NIC that is planned."""
        state = _state(artefacts)
        devices: dict[str, str] = state["rdma_devices"]
        per_nic = [
            subject.format(interface=interface, device=device)
            for interface, device in devices.items()
            for subject in (
                *_SUBJECTS[state["reader"]],
                *(_DCQCN[state["reader"]] if "dcqcn" in state["nics"].get(interface, {}) else ()),
            )
        ]
        owners = [f"owners:{','.join(sorted(state['nics']))}", "services"] if state["nics"] else []
        return ["addresses", "rules", "rdma", *owners, *per_nic, *_planned(state, "rules")]

    def draft(
        self,
        running: Running,
        artefacts: Sequence[Artefact],
        driver: Driver,  # noqa: ARG002 - a host makes no diff of its own
    ) -> Draft:
        """Compare files and live settings."""
        files = [RemoteFile(path, item.content, _mode(path)) for path, item in _placed(artefacts)]
        changed = [file for file in files if running.files.get(file.path) != file.content.decode()]
        changes = [
            Change(
                file.path,
                "old content" if file.path in running.files else "",
                "new content",
                Risk.BRIEF_LOSS if _takes_network(file, running) else Risk.HARMLESS,
            )
            for file in changed
        ]
        placed = {file.path for file in files}
        stale = [path for path in self.files(artefacts) if path in {*running.files} - placed]
        changes += [
            Change(
                path,
                "old content",
                "",
                Risk.HARMLESS if path.startswith(_OLD_SYSCTL) else Risk.BRIEF_LOSS,
            )
            for path in stale
        ]
        live, beside = running.config["nics"], running.config.get("settings", {})
        planned = _planned(_state(artefacts))
        apart = [
            *settings_apart(live, expected_state(artefacts)),
            *kernel_apart(beside, planned),
        ]
        candidate = Files(
            files=tuple(changed),
            remove=tuple(stale),
            activate=(_apply(artefacts),) if changed or stale or apart else (),
            restore=tuple(
                restore_commands(running, {**live, **expected_state(artefacts)}, placed, planned)
            ),
        )
        lines = [*(f"- {path}" for path in stale), *_lines(changed, apart, running)]
        missing = passed_over(beside, planned)
        lines += [f"# {name}: this host does not have it; skipped" for name in missing]
        others = other_files(running.system, dict(_placed(artefacts)), expected_state(artefacts))
        return Draft(
            candidate,
            (*changes, *apart),
            "\n".join(lines),
            others.notes,
            others.conflicts,
            passed_over=missing,
        )

    def restore(self, before: Running, now: Running) -> Files:
        """Return the earlier files, and commands for the earlier live settings."""
        files = tuple(
            RemoteFile(path, text.encode(), _mode(path))
            for path, text in before.files.items()
            if now.files.get(path) != text
        )
        return Files(
            files=files,
            remove=tuple(path for path in now.files if path not in before.files),
            activate=_back(before, now),
            restore=_back(now, before),
        )

    def effects(self, artefacts: Sequence[Artefact]) -> set[str]:
        """Return the settings that our files change and that are kept for the rollback alone."""
        settings = _planned(_state(artefacts))
        return {name.removeprefix("sysctl:") for name in settings if settings[name] is None}

    def apart(self, left: Running, right: Running) -> set[str]:
        """Return the files and live settings that differ."""
        paths = {*left.files, *right.files}
        files = {path for path in paths if left.files.get(path) != right.files.get(path)}
        beside = (left.config.get("settings", {}), right.config.get("settings", {}))
        files |= {
            name.removeprefix("sysctl:")
            for name in {*beside[0], *beside[1]}
            if beside[0].get(name) != beside[1].get(name)
        }
        old, new = left.config["nics"], right.config["nics"]
        return files | {
            f"{interface} {name}"
            for interface in {*old, *new}
            for name in {*old.get(interface, {}), *new.get(interface, {})}
            if old.get(interface, {}).get(name) != new.get(interface, {}).get(name)
        }


def _back(to: Running, leaving: Running) -> tuple[str, ...]:
    now = leaving.config
    return tuple(restore_commands(to, now["nics"], leaving.files, now.get("settings", {})))


def _planned(state: dict[str, Any], *without: str) -> dict[str, Any]:
    """Return the planned settings beside the NICs, by subject."""
    settings: dict[str, Any] = state.get("settings", {})
    return {subject: value for subject, value in settings.items() if subject not in without}


def _mode(path: str) -> int:
    """Return the mode of a file of ours.

    netplan complains of files that others can read, NetworkManager ignores them. The script for
    firmware is run by nobody but an operator.
    """
    folder, _, name = path.rpartition("/")
    if f"{folder}/".startswith(f"{FOLDER}/") and name in _PROGRAMS:
        return 0o755
    return 0o600 if path.startswith((NETPLAN, PROFILES)) else 0o644


def _apply(artefacts: Sequence[Artefact]) -> str:
    """Return the script of these files; that of another fabric on the host has another folder."""
    namespace = _state(artefacts).get("namespace", "")
    return f"{FOLDER}/{namespace}/apply.sh" if namespace else f"{FOLDER}/apply.sh"


def _stack_files(state: dict[str, Any]) -> Iterator[str]:
    """Yield the files that go when others take their place; those of its namespace alone.

    They give addresses by another network stack, or are kernel parameters under an earlier name.
    """
    namespace = state.get("namespace", "")
    yield f"{_OLD_SYSCTL}-{namespace}.conf" if namespace else f"{_OLD_SYSCTL}.conf"
    yield f"{NETPLAN}-{namespace}.yaml" if namespace else f"{NETPLAN}.yaml"
    for interface in state["nics"]:
        name = f"{namespace}-{interface}" if namespace else interface
        yield f"{NETWORKD}{name}.network"
        yield f"{PROFILES}{name}.nmconnection"


def _placed(artefacts: Sequence[Artefact]) -> list[tuple[str, Artefact]]:
    parts = ((item.path.partition(_ROOT)[2], item) for item in artefacts)
    return [(f"/{path}", item) for path, item in parts if path]


def _takes_network(file: RemoteFile, running: Running) -> bool:
    """Tell whether a file of addresses and routes loses lines: what they set goes with them."""
    before, after = (
        {line.strip() for line in text.splitlines() if not line.lstrip().startswith("#")}
        for text in (running.files.get(file.path, ""), file.content.decode())
    )
    return file.path.startswith((NETPLAN, NETWORKD, PROFILES)) and bool(before - after)


def _lines(files: list[RemoteFile], apart: list[Change], running: Running) -> list[str]:
    lines = [f"{'~' if file.path in running.files else '+'} {file.path}" for file in files]
    for change in apart:
        lines += [f"- {change.path} = {change.before}", f"+ {change.path} = {change.after}"]
    return lines


adapters.add("host")(HostAdapter())
