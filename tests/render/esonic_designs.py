"""The example inventories with switches that run Enterprise SONiC in place of their own."""

from __future__ import annotations

from tests.render.designs import designs_of

CHANGES = {
    "demo": {
        "leaf: {sku: ACS-MSN4700}": "leaf: {sku: Z9332F-ON}",
        "spine: {sku: 7060X6-64PE}": "spine: {sku: Z9664F-ON}",
    },
    "rail-512": {
        "leaf: {sku: ACS-SN5600": "leaf: {sku: Z9664F-ON",
        "spine: {sku: ACS-SN5600}": "spine: {sku: Z9664F-ON}",
    },
    "a100-pcie": {
        "leaf: {sku: 7050DX4-32S}": "leaf: {sku: Z9332F-ON}",
        "spine: {sku: 7050DX4-32S}": "spine: {sku: Z9332F-ON}",
    },
}
designs = designs_of(CHANGES)
