"""The example inventories with NX-OS switches in place of their own."""

from __future__ import annotations

from tests.render.designs import designs_of

#: What NX-OS asks for: the highest queue for CNPs, the largest frame on switched ports.
LOSSLESS = "lossless:\n  cnp_traffic_class: 7\n  cnp_queue: 7\n  mtu: {port_bytes: 9216}\n"
GX2A, GX2B = "N9K-C9364D-GX2A", "N9K-C9332D-GX2B"
CHANGES = {
    "demo": {
        "leaf: {sku: ACS-MSN4700}": f"leaf: {{sku: {GX2B}}}",
        "spine: {sku: 7060X6-64PE}": f"spine: {{sku: {GX2A}}}",
        "lossless:\n": LOSSLESS,
    },
    "rail-512": {
        "leaf: {sku: ACS-SN5600": f"leaf: {{sku: {GX2A}",
        "spine: {sku: ACS-SN5600}": f"spine: {{sku: {GX2A}}}",
        "lossless:\n": LOSSLESS,
    },
    "a100-pcie": {
        "leaf: {sku: 7050DX4-32S}": f"leaf: {{sku: {GX2B}}}",
        "spine: {sku: 7050DX4-32S}": f"spine: {{sku: {GX2B}}}",
        "lossless:\n": LOSSLESS,
        "arp: {timeout_s: 240, mac_ageing_s: 600}": "arp: {timeout_s: 240, mac_ageing_s: 1800}",
    },
}
designs = designs_of(CHANGES)
