"""The example inventories with Junos switches in place of their own."""

from __future__ import annotations

from tests.render.designs import designs_of

LARGE, MIDDLE, SMALL = "QFX5240-64OD", "QFX5230-64CD", "QFX5220-32CD"
#: Thresholds that whole percents of a queue can say, and the watchdog that needs no words.
WATCHDOG = "watchdog: {action: drop, detection_ms: 200, restoration_ms: 200, poll_ms: 100}"
OLD_WATCHDOG = "watchdog: {action: drop, detection_ms: 400, restoration_ms: 400, poll_ms: 200}"
OLD_ECN = "ecn: {kmin_bytes: 150000, kmax_bytes: 1500000, pmax_percent: 100}"
CHANGES = {
    "demo": {
        "leaf: {sku: ACS-MSN4700}": f"leaf: {{sku: {LARGE}}}",
        "spine: {sku: 7060X6-64PE}": f"spine: {{sku: {LARGE}}}",
        OLD_ECN: "ecn: {kmin_bytes: 750000, kmax_bytes: 7500000, pmax_percent: 100}",
        OLD_WATCHDOG: WATCHDOG,
    },
    "rail-512": {
        "leaf: {sku: ACS-SN5600": f"leaf: {{sku: {LARGE}",
        "spine: {sku: ACS-SN5600}": f"spine: {{sku: {MIDDLE}}}",
    },
    "a100-pcie": {
        "leaf: {sku: 7050DX4-32S}": f"leaf: {{sku: {SMALL}}}",
        "spine: {sku: 7050DX4-32S}": f"spine: {{sku: {SMALL}}}",
    },
}
designs = designs_of(CHANGES)
