"""Hosts: files, and the live settings that they are to bring about."""

from __future__ import annotations

import ipaddress
import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from fabric.change.adapter import Draft, adapters
from fabric.change.model import Change, Risk
from fabric.core.units import dscp_to_traffic_class_byte
from fabric.devices.driver import Candidate, RemoteFile
from fabric.observe.parsers.host import UNAVAILABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fabric.core.artefact import Artefact
    from fabric.devices.driver import Driver
    from fabric.observe.snapshot import Running

APPLY = "/etc/rocefab/apply.sh"
NETPLAN = "/etc/netplan/60-rocefab.yaml"
_ROOT = "rootfs/"
#: mlx5 toggles the link when the PFC mask changes (Linux mlx5 en_dcbnl.c, mlx5_toggle_port_link).
_FLAPS = ("pfc",)
_BRIEF = ("mtu_bytes", "addresses", "table", "dcbx", "trust", "dscp_to_priority")
_OWNERS = ("os", "fw")
_TRUSTS = ("pcp", "dscp")
_ALGORITHMS = ("strict", "ets", "vendor")
_DEVICE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
_SUBSETS = ("dscp_to_priority", "tsa", "bandwidth_percent")


def expected_state(artefacts: Sequence[Artefact]) -> dict[str, Any]:
    """Return the live settings that the artefacts of a host are to bring about, by NIC."""
    text = next(item.text for item in artefacts if item.kind == "expected-state")
    nics: dict[str, Any] = json.loads(text)["nics"]
    return nics


def settings_apart(live: dict[str, Any], expected: dict[str, Any]) -> Iterator[Change]:
    """Yield the settings of the NICs that are not as expected.

    Only what is expected counts: further addresses and DSCPs are left alone. A setting that the
    driver of the NIC does not offer is passed over.
    """
    for interface, wanted in expected.items():
        found = live.get(interface, {})
        for name, value in wanted.items():
            now = found.get(name)
            if now == UNAVAILABLE or _matches(name, now, value):
                continue
            risk = Risk.PORT_FLAP if name in _FLAPS else Risk.HARMLESS
            risk = Risk.BRIEF_LOSS if name in _BRIEF else risk
            yield Change(
                f"{interface} {name}", _show(_relevant(name, now, value)), _show(value), risk
            )


def _matches(name: str, now: Any, wanted: Any) -> bool:
    if now is None:
        return False
    if name == "addresses":
        return set(wanted) <= set(now)
    return bool(_relevant(name, now, wanted) == wanted)


def _relevant(name: str, now: Any, wanted: Any) -> Any:
    if name in _SUBSETS and isinstance(now, dict):
        return {key: now.get(key) for key in wanted}
    return now


def _show(value: Any) -> str:
    return "" if value is None else json.dumps(value)


class HostAdapter:
    """Changes hosts."""

    def files(self, artefacts: Sequence[Artefact]) -> list[str]:
        """Return the paths on the host."""
        return [path for path, _ in _placed(artefacts)]

    def subjects(self, artefacts: Sequence[Artefact]) -> list[str]:
        """Return the readings of every NIC that is planned."""
        state = next(item.text for item in artefacts if item.kind == "expected-state")
        devices: dict[str, str] = json.loads(state)["rdma_devices"]
        per_nic = [
            subject
            for interface, device in devices.items()
            for subject in (f"qos:{interface}", f"cnp:{interface}", f"tc:{device}")
        ]
        return ["addresses", "rules", "rdma", *per_nic]

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
                Risk.HARMLESS,
            )
            for file in changed
        ]
        apart = list(settings_apart(running.config["nics"], expected_state(artefacts)))
        live = running.config["nics"]
        candidate = Candidate(
            method="files",
            files=tuple(changed),
            activate=(APPLY,) if changed or apart else (),
            restore=tuple(_restore_commands(running, {**live, **expected_state(artefacts)})),
        )
        return Draft(candidate, (*changes, *apart), "\n".join(_lines(changed, apart, running)))

    def restore(self, before: Running, now: Running) -> Candidate:
        """Return the earlier files, and commands for the earlier live settings."""
        files = tuple(
            RemoteFile(path, text.encode(), _mode(path))
            for path, text in before.files.items()
            if now.files.get(path) != text
        )
        return Candidate(
            method="files",
            files=files,
            remove=tuple(path for path in now.files if path not in before.files),
            activate=tuple(_restore_commands(before, now.config["nics"])),
            restore=tuple(_restore_commands(now, before.config["nics"])),
        )

    def apart(self, left: Running, right: Running) -> set[str]:
        """Return the files and live settings that differ."""
        paths = {*left.files, *right.files}
        files = {path for path in paths if left.files.get(path) != right.files.get(path)}
        old, new = left.config["nics"], right.config["nics"]
        return files | {
            f"{interface} {name}"
            for interface in {*old, *new}
            for name in {*old.get(interface, {}), *new.get(interface, {})}
            if old.get(interface, {}).get(name) != new.get(interface, {}).get(name)
        }


def _mode(path: str) -> int:
    """Return the mode of a file of ours; netplan complains of files that others can read."""
    return {APPLY: 0o755, NETPLAN: 0o600}.get(path, 0o644)


def _placed(artefacts: Sequence[Artefact]) -> list[tuple[str, Artefact]]:
    found = []
    for item in artefacts:
        _, mark, path = item.path.partition(_ROOT)
        if mark:
            found.append((f"/{path}", item))
    return found


def _restore_commands(before: Running, now: dict[str, Any]) -> list[str]:
    """Return commands that bring back the live settings that were read before.

    ``now`` holds the settings that they replace, by NIC. What the host said of itself becomes part
    of a command only when it is a number, an address or a plain name.
    """
    commands = ["netplan apply"] if NETPLAN in before.files else []
    for interface, nic in sorted(before.config["nics"].items()):
        if not _DEVICE.fullmatch(interface):
            continue
        if "trust" in nic:
            commands += _qos_commands(interface, nic)
        commands += _address_commands(interface, nic, now.get(interface, {}))
        commands += _marking_commands(interface, nic)
    return commands


def _qos_commands(interface: str, nic: dict[str, Any]) -> list[str]:
    """Two calls: --trust and --dscp2prio exclude each other; what is unknown is left out."""
    words = [f"mlnx_qos -i {interface} --pfc {_comma(nic['pfc'])}"]
    if nic["dcbx"] in _OWNERS:
        words.append(f"--dcbx {nic['dcbx']}")
    if nic["trust"] in _TRUSTS:
        words.append(f"--trust {nic['trust']}")
    classes = [str(number) for number in range(len(nic["pfc"]))]
    if nic["cable_m"] is not None:
        words.append(f"--cable_len {nic['cable_m']}")
    if all(number >= 0 for number in nic["priority_to_traffic_class"]):
        words.append(f"--prio_tc {_comma(nic['priority_to_traffic_class'])}")
    if all(nic["tsa"].get(number) in _ALGORITHMS for number in classes):
        shares = [
            nic["bandwidth_percent"][number] if nic["tsa"][number] == "ets" else 0
            for number in classes
        ]
        words.append(f"--tsa {_comma(nic['tsa'][number] for number in classes)}")
        words.append(f"--tcbw {_comma(shares)}")
    pairs = [f"--dscp2prio set,{dscp},{prio}" for dscp, prio in nic["dscp_to_priority"].items()]
    if nic["trust"] == "dscp" and pairs:
        return [" ".join(words), f"mlnx_qos -i {interface} {' '.join(pairs)}"]
    return [" ".join(words)]


def _address_commands(interface: str, old: dict[str, Any], now: dict[str, Any]) -> list[str]:
    commands = [f"ip link set dev {interface} mtu {int(old['mtu_bytes'])}"]
    mine, others = _addresses(old), _addresses(now)
    for address in others:
        if address not in mine:
            commands.append(f"ip addr del {address} dev {interface} || true")
            commands.append(f"ip rule del from {address.ip} || true")
    commands += [
        f"ip addr replace {address} dev {interface}" for address in mine if address not in others
    ]
    return commands


def _addresses(nic: dict[str, Any]) -> list[ipaddress.IPv4Interface]:
    found = []
    for text in nic.get("addresses", []):
        with suppress(ValueError):
            found.append(ipaddress.IPv4Interface(text))
    return found


def _marking_commands(interface: str, old: dict[str, Any]) -> list[str]:
    commands = []
    if isinstance(old["cnp_dscp"], int):
        file = f"/sys/class/net/{interface}/ecn/roce_np/cnp_dscp"
        commands.append(f"sh -c 'echo {old['cnp_dscp']} > {file}'")
    if old["traffic_class_dscp"] != UNAVAILABLE and _DEVICE.fullmatch(old["rdma_device"]):
        dscp = old["traffic_class_dscp"]
        value = -1 if dscp is None else dscp_to_traffic_class_byte(dscp)
        file = f"/sys/class/infiniband/{old['rdma_device']}/tc/1/traffic_class"
        commands.append(f"sh -c 'echo {value} > {file}'")
    return commands


def _comma(values: Iterable[object]) -> str:
    return ",".join(str(value) for value in values)


def _lines(files: list[RemoteFile], apart: list[Change], running: Running) -> list[str]:
    lines = [f"{'~' if file.path in running.files else '+'} {file.path}" for file in files]
    for change in apart:
        lines += [f"- {change.path} = {change.before}", f"+ {change.path} = {change.after}"]
    return lines


adapters.add("host")(HostAdapter())
