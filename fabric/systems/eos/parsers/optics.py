"""EOS: optics, bit errors and temperatures from the JSON answers of eAPI.

Shapes: napalm/eos/eos.py (get_optics, get_environment) and aristanetworks/anta
(tests of `show interfaces phy detail`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fabric.observe.state import Optic, Sensor
from fabric.systems.eos.parsers.state import reading

if TYPE_CHECKING:
    from collections.abc import Iterator


@reading
def optics(answer: Any) -> dict[str, Optic]:
    """Parse ``show interfaces transceiver``; a port without an optic has no power."""
    return {
        name: Optic(received_dbm=(_number(port["rxPower"]),), sent_dbm=(_number(port["txPower"]),))
        for name, port in answer["interfaces"].items()
        if "rxPower" in port and "txPower" in port
    }


@reading
def bit_errors(answer: Any) -> dict[str, Optic]:
    """Parse ``show interfaces phy detail``: the outermost PHY of a port that faces the line."""
    ratios = {}
    for name, port in answer["interfacePhyStatuses"].items():
        lines = [
            phy["preFecBer"]["value"]
            for phy in port["phyStatuses"]
            if phy.get("description", {}).get("location") == "line" and "preFecBer" in phy
        ]
        if lines:
            ratios[name] = Optic(pre_fec_bit_error_ratio=_number(lines[-1]))
    return ratios


@reading
def temperatures(answer: Any) -> dict[str, Sensor]:
    """Parse ``show system environment temperature``: sensors of the system, cards and supplies."""
    return dict(_sensors(answer))


def _sensors(answer: Any) -> Iterator[tuple[str, Sensor]]:
    groups = [answer["tempSensors"]]
    for kind in ("cardSlots", "powerSupplySlots"):
        groups += [slot["tempSensors"] for slot in answer[kind]]
    for sensors in groups:
        for sensor in sensors:
            celsius = _number(sensor.get("currentTemperature"))
            if celsius is not None:
                yield str(sensor["name"]), Sensor(celsius, _number(sensor.get("overheatThreshold")))


def _number(value: Any) -> float | None:
    """Return a figure; None where there is none, such as the power of a lane without light."""
    if value is None:
        return None
    number = float(value)
    return number if math.isfinite(number) else None
