"""The example inventories with VRP8 switches in place of their own."""

from __future__ import annotations

from tests.render.designs import designs_of

FAMILY_A, FAMILY_B = "CE8851-32CQ8DQ-P", "CE8855-32CQ4BQ"
SPEEDS = "speeds: {host_gbps: 100, uplink_gbps: 100}"
#: Switches of 32 ports: units of 16 hosts, and a spine for each uplink.
UNITS = (
    '  - {name: su1, hosts: "gpu[001-032]"}\n  - {name: su2, hosts: "gpu[033-064]"}\n',
    "".join(
        f'  - {{name: su{unit}, hosts: "gpu[{16 * unit - 15:03}-{16 * unit:03}]"}}\n'
        for unit in range(1, 5)
    ),
)
CHANGES = {
    "demo": {
        "leaf: {sku: ACS-MSN4700}": f"leaf: {{sku: {FAMILY_B}, host_ports: 16}}",
        "spine: {sku: 7060X6-64PE}": f"spine: {{sku: {FAMILY_A}}}",
        "speeds: {host_gbps: 400, uplink_gbps: 400}": SPEEDS,
    },
    "rail-512": {
        UNITS[0]: UNITS[1],
        "spines: {count: 8, links_per_leaf: 4}": "spines: {count: 16, links_per_leaf: 1}",
        "leaf: {sku: ACS-SN5600, host_ports: 32}": f"leaf: {{sku: {FAMILY_B}, host_ports: 16}}",
        "spine: {sku: ACS-SN5600}": f"spine: {{sku: {FAMILY_B}}}",
        "speeds: {host_gbps: 400, uplink_gbps: 400}": SPEEDS,
    },
    "a100-pcie": {
        "leaf: {sku: 7050DX4-32S}": f"leaf: {{sku: {FAMILY_A}}}",
        "spine: {sku: 7050DX4-32S}": f"spine: {{sku: {FAMILY_A}}}",
        "speeds: {host_gbps: 100, uplink_gbps: 400}": SPEEDS,
    },
}
designs = designs_of(CHANGES)
