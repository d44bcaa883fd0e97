"""OS10: from a design to its configuration."""

from __future__ import annotations

from dataclasses import dataclass

from fabric.core.artefact import Artefact
from fabric.design.model import DeviceDesign
from fabric.design.qos_model import QosProfile
from fabric.platforms.features import marking_unit
from fabric.qos.ecn.edge import to_units
from fabric.render.engine import render
from fabric.render.registry import renderers

FEATURES = ("system", "qos", "interfaces", "bgp")


@dataclass(frozen=True)
class Policy:
    """One lossless policy; thresholds in the unit of the system, DSCPs by traffic class."""

    name: str
    design: QosProfile
    kmin: int
    kmax: int
    groups: list[tuple[int, list[int]]]


def _policy(profile: QosProfile) -> Policy:
    unit = marking_unit("os10")
    classes = profile.dscp_to_traffic_class
    groups = [(one, [d for d in range(64) if classes[d] == one]) for one in sorted(set(classes))]
    (one,) = profile.classes
    kmin, kmax = (to_units(size, unit) for size in (one.kmin_bytes, one.kmax_bytes))
    return Policy(f"ROCE{profile.suffix}", profile, kmin, kmax, groups)


@renderers.add("os10")
def render_os10(design: DeviceDesign) -> list[Artefact]:
    """Return the configuration of a switch."""
    policies = {profile.index: _policy(profile) for profile in design.qos_profiles}
    ports = [(port, port.qos and policies[port.qos.index]) for port in design.ports]
    values = {"device": design, "policies": list(policies.values()), "ports": ports}
    blocks = [render(f"os10/{feature}.j2", design.name, values).strip() for feature in FEATURES]
    path = f"switches/{design.name}/running-configuration.os10"
    text = "\n!\n".join([*blocks, "end", ""])
    return [Artefact(design.name, design.platform, "running-config", path, text.encode())]
