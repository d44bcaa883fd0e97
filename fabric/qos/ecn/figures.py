"""Marking thresholds that vendors, operators and papers publish."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One published set of thresholds.

    Parameters
    ----------
    name : str
        Who says it.
    speeds_gbps : tuple of int
        Port speeds that it is for; empty for any.
    kmin_bytes, kmax_bytes : int
        Queue lengths.
    pmax_percent : int or None
        Marking probability just below ``kmax_bytes``; None where none is given.
    source : str
        Where it stands.
    confirmed : bool
        False when only third parties quote it.
    """

    name: str
    speeds_gbps: tuple[int, ...]
    kmin_bytes: int
    kmax_bytes: int
    pmax_percent: int | None
    source: str
    confirmed: bool = True


_HPCC = "alibaba-edu/High-Precision-Congestion-Control 9f4be2a9 simulation/run.py"
_SONIC = "sonic-net/sonic-buildimage 086b03bd"

FIGURES = (
    Figure("DCQCN paper", (40,), 5_000, 200_000, 1, "Zhu et al., SIGCOMM 2015, section 5"),
    Figure("HPCC simulator", (25,), 100_000, 400_000, 20, _HPCC),
    Figure("HPCC simulator", (50,), 200_000, 800_000, 20, _HPCC),
    Figure("HPCC simulator", (100,), 400_000, 1_600_000, 20, _HPCC),
    Figure(
        "SONiC default (AZURE_LOSSLESS)",
        (),
        1_048_576,
        2_097_152,
        5,
        f"{_SONIC} files/build_templates/qos_config.j2",
    ),
    Figure(
        "SONiC on Arista 7060X6",
        (400, 800),
        131_072,
        262_144,
        5,
        f"{_SONIC} device/arista/x86_64-arista_7060x6_64pe/*/qos.json.j2",
    ),
    Figure(
        "SONiC on Tomahawk and Trident 3",
        (40, 50, 100),
        250_000,
        2_097_152,
        5,
        f"{_SONIC} device/*/*/*/qos.json.j2",
    ),
    Figure("NVIDIA Onyx RoCE mode", (), 150_000, 1_500_000, None, "NVIDIA Onyx 3.10 user manual"),
    Figure(
        "Cumulus Linux nv set qos roce",
        (),
        150_000,
        1_500_000,
        100,
        "NVIDIA Cumulus Linux 5.14 user guide, RoCE",
    ),
    Figure(
        "Cisco Nexus 9000 AI/ML blueprint",
        (100,),
        150_000,
        3_000_000,
        7,
        "third-party configurations that cite the blueprint",
        confirmed=False,
    ),
)


def figures_for(speed_gbps: int) -> tuple[Figure, ...]:
    """Return what is published for a port speed, or for any speed.

    Parameters
    ----------
    speed_gbps : int
        Speed of the port in Gb/s.
    """
    return tuple(f for f in FIGURES if not f.speeds_gbps or speed_gbps in f.speeds_gbps)
