"""Hosts: files, and the live settings that they are to bring about."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fabric.change.adapter import Draft, adapters
from fabric.change.model import Change, Risk
from fabric.devices.driver import Candidate, RemoteFile
from fabric.observe.parsers.host import UNAVAILABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.core.artefact import Artefact
    from fabric.devices.driver import Driver
    from fabric.observe.snapshot import Running

APPLY = "/etc/rocefab/apply.sh"
_ROOT = "rootfs/"
#: mlx5 toggles the link when the PFC mask changes (Linux mlx5 en_dcbnl.c, mlx5_toggle_port_link).
_FLAPS = ("pfc",)
_BRIEF = ("mtu_bytes", "addresses", "table", "trust", "dscp_to_priority")
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
        files = [
            RemoteFile(path, item.content, 0o755 if item.executable else 0o644)
            for path, item in _placed(artefacts)
        ]
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
        candidate = Candidate(
            method="files",
            files=tuple(changed),
            activate=(APPLY,) if changed or apart else (),
            restore=tuple(_restore_commands(running.config["nics"])),
        )
        return Draft(candidate, (*changes, *apart), "\n".join(_lines(changed, apart, running)))

    def restore(self, before: Running, now: Running) -> Candidate:
        """Return the earlier files, and commands for the earlier live settings."""
        files = tuple(
            RemoteFile(path, text.encode(), 0o755 if path == APPLY else 0o644)
            for path, text in before.files.items()
            if now.files.get(path) != text
        )
        return Candidate(
            method="files",
            files=files,
            activate=tuple(_restore_commands(before.config["nics"])),
            restore=tuple(_restore_commands(now.config["nics"])),
        )


def _placed(artefacts: Sequence[Artefact]) -> list[tuple[str, Artefact]]:
    found = []
    for item in artefacts:
        _, mark, path = item.path.partition(_ROOT)
        if mark:
            found.append((f"/{path}", item))
    return found


def _restore_commands(nics: dict[str, Any]) -> list[str]:
    """Return mlnx_qos calls that bring back what was read; two calls, as trust and map exclude."""
    commands = []
    for interface, nic in sorted(nics.items()):
        if "trust" not in nic:
            continue
        pfc = ",".join(str(bit) for bit in nic["pfc"])
        commands.append(f"mlnx_qos -i {interface} --trust {nic['trust']} --pfc {pfc}")
        if nic["trust"] == "dscp":
            pairs = " ".join(
                f"--dscp2prio set,{dscp},{priority}"
                for dscp, priority in nic["dscp_to_priority"].items()
            )
            commands.append(f"mlnx_qos -i {interface} {pairs}")
    return commands


def _lines(files: list[RemoteFile], apart: list[Change], running: Running) -> list[str]:
    lines = [f"{'~' if file.path in running.files else '+'} {file.path}" for file in files]
    for change in apart:
        lines += [f"- {change.path} = {change.before}", f"+ {change.path} = {change.after}"]
    return lines


adapters.add("host")(HostAdapter())
