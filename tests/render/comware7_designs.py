"""The example inventories with H3C Comware 7 switches in place of their own."""

from __future__ import annotations

from tests.render.designs import designs_of

LARGE, SMALL = "S9820-64H", "S9850-32H"
SPEEDS = "speeds: {host_gbps: 100, uplink_gbps: 100}"
CHANGES = {
    "demo": {
        "leaf: {sku: ACS-MSN4700}": f"leaf: {{sku: {LARGE}}}",
        "spine: {sku: 7060X6-64PE}": f"spine: {{sku: {LARGE}}}",
        "speeds: {host_gbps: 400, uplink_gbps: 400}": SPEEDS,
    },
    "rail-512": {
        "leaf: {sku: ACS-SN5600": f"leaf: {{sku: {LARGE}",
        "spine: {sku: ACS-SN5600}": f"spine: {{sku: {LARGE}}}",
        "speeds: {host_gbps: 400, uplink_gbps: 400}": SPEEDS,
    },
    "a100-pcie": {
        "leaf: {sku: 7050DX4-32S}": f"leaf: {{sku: {SMALL}}}",
        "spine: {sku: 7050DX4-32S}": f"spine: {{sku: {SMALL}}}",
        "speeds: {host_gbps: 100, uplink_gbps: 400}": SPEEDS,
    },
}
designs = designs_of(CHANGES)
