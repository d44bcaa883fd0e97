"""Counters of the lossless class as the EOS stand-in shows them, in JSON.

Known: shapes from aristanetworks/anta ``tests/units/anta_tests/test_interfaces.py``; the watchdog
command answers ``{"interfaces": {}}`` as long as it never fired.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.systems.eos.lab.view import QUEUES

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.systems.eos.lab.view import View

    Result = dict[str, Any]


def _pfc(view: View, _words: list[str]) -> Result:
    found: Result = {}
    for port in view.ethernets():
        counted = view.count(port.name)
        found[port.name] = {"rxFrames": counted.pfc_rx_frames, "txFrames": counted.pfc_tx_frames}
    return {"interfaceCounters": found}


def _watchdog(view: View, _words: list[str]) -> Result:
    found: Result = {}
    for port in view.ethernets():
        counted = view.count(port.name)
        queues = {
            str(queue): {
                "stuckCount": counted.watchdog_stuck.get(queue, 0),
                "recoveryCount": counted.watchdog_recovered.get(queue, 0),
            }
            for queue in QUEUES
            if queue in counted.watchdog_stuck or queue in counted.watchdog_recovered
        }
        if queues:
            found[port.name] = {"txQueues": queues}
    return {"interfaces": found}


def _ecn(view: View, _words: list[str]) -> Result:
    found: Result = {}
    for port in view.ethernets():
        marked = view.count(port.name).ecn_marked
        found[port.name] = {
            "queueCounters": {
                str(queue): str(marked.get(queue, 0)) if view.counts_ecn(port, queue) else "-"
                for queue in QUEUES
            }
        }
    return {"intfQueueCounters": found}


def _errors(view: View, _words: list[str]) -> Result:
    found: Result = {}
    for port in view.ethernets():
        counted = view.count(port.name)
        found[port.name] = {
            "inErrors": counted.in_errors, "outErrors": counted.out_errors,
            "fcsErrors": counted.fcs_errors, "symbolErrors": counted.symbol_errors,
            "alignmentErrors": 0, "frameTooLongs": 0, "frameTooShorts": 0,
        }  # fmt: skip
    return {"interfaceErrorCounters": found}


def _discards(view: View, _words: list[str]) -> Result:
    rows = {
        port.name: {
            "inDiscards": view.count(port.name).in_discards,
            "outDiscards": view.count(port.name).out_discards,
        }
        for port in view.ethernets()
    }
    return {
        "interfaces": rows,
        "inDiscardsTotal": sum(row["inDiscards"] for row in rows.values()),
        "outDiscardsTotal": sum(row["outDiscards"] for row in rows.values()),
    }


def _queue_detail(view: View, _words: list[str]) -> Result:
    def classes(drops: dict[int, int]) -> Result:
        return {
            "trafficClasses": {
                f"TC{queue}": {"dropPrecedences": {"DP0": {"droppedPackets": drops.get(queue, 0)}}}
                for queue in QUEUES
            }
        }

    found = {
        port.name: {
            "ucastQueues": classes(view.count(port.name).queue_drops), "mcastQueues": classes({}),
        }
        for port in view.ethernets()
    }  # fmt: skip
    return {"egressQueueCounters": {"interfaces": found}}


def _queue_drops(view: View, _words: list[str]) -> Result:
    def packets(count: int) -> Result:
        return {"countersSum": {"droppedPackets": count}}

    found: Result = {}
    for port in view.ethernets():
        drops = view.count(port.name).queue_drops
        found[port.name] = {
            "trafficClasses": {
                f"TC{queue}": {
                    "ingressVoqCounters": packets(drops.get(queue, 0)),
                    "egressQueueCounters": packets(0),
                }
                for queue in QUEUES
            }
        }
    return {"interfaces": found}


COUNTER_SHOWS: dict[str, Callable[[View, list[str]], Result]] = {
    "show priority-flow-control counters": _pfc,
    "show priority-flow-control counters watchdog": _watchdog,
    "show qos interfaces ecn counters queue": _ecn,
    "show interfaces counters errors": _errors,
    "show interfaces counters discards": _discards,
    "show interfaces counters queue detail": _queue_detail,
    "show interfaces counters queue drops": _queue_drops,
}
