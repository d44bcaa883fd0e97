"""What is judged of a NIC's settings and its leaf port, whoever set the NIC: one row for a rule."""

from __future__ import annotations

from fabric.core.findings import Severity
from fabric.validate.rule import DescribedRule, areas

areas.add("NIC")("NIC and leaf as a pair (`rocefab check --nic-profile`, `rocefab audit --pairs`)")

_PFC = "IEEE 802.1Q-2018 clause 36"
_DSCP = "RFC 2474; IEEE 802.1Q-2018 clause 6.9.3"
_DCQCN = "SIGCOMM 2015, Zhu et al. (DCQCN), section 3"
_OPERATOR = (
    "Mellanox/nic-configuration-operator branches network-operator-25.7.x to 26.7.x; NVIDIA "
    "Network Operator v26.10.0, Configuration Details"
)

PAIR_RULES: dict[str, DescribedRule] = {
    row[0]: DescribedRule(*row, looks_at="pairs")
    for row in (
        (
            "NIC001",
            Severity.ERROR,
            "NIC and leaf port pause the same priorities",
            "A priority that one end alone pauses overruns the other, and packets are dropped.",
            "enable PFC for the same priorities on both",
            _PFC,
        ),
        (
            "NIC002",
            Severity.ERROR,
            "The priority of RoCE data on the NIC is lossless on the leaf port",
            "The leaf pauses a priority in which the NIC sends nothing, and drops its data.",
            "send RoCE data in the lossless priority of the leaf",
            _PFC,
        ),
        (
            "NIC003",
            Severity.ERROR,
            "The DSCP of RoCE data on the NIC leads to a lossless class of the leaf port",
            "The leaf puts the data into a class that drops.",
            "send with a DSCP of the lossless class, or map the DSCP to it on the leaf",
            _DSCP,
        ),
        (
            "NIC004",
            Severity.ERROR,
            "A DSCP of a lossless class has the same priority on NIC and leaf port",
            "A pause for the class stops another priority on the NIC, and the data keeps coming.",
            "map the DSCP to the priority that the leaf pauses",
            f"{_DSCP}; {_PFC}",
        ),
        (
            "NIC005",
            Severity.ERROR,
            "The DSCP of CNPs on the NIC leads to the queue of CNPs on the leaf port",
            "A notice that waits with data, or is dropped, slows the sender too late.",
            "set the DSCP of CNPs on the NIC to that of the leaf",
            _DCQCN,
        ),
        (
            "NIC006",
            Severity.WARNING,
            "CNPs have the same priority on NIC and leaf port",
            "Frames with a VLAN tag carry the priority of the NIC, and a lossless one is paused.",
            "set the priority of CNPs on the NIC to the traffic class of the leaf",
            "IEEE 802.1Q-2018 clause 6.9.3",
        ),
        (
            "NIC007",
            Severity.ERROR,
            "NIC and leaf port classify by the same field",
            "Packets change their class on the cable when one end reads DSCP and the other a tag.",
            "trust DSCP on both",
            _DSCP,
        ),
        (
            "NIC008",
            Severity.ERROR,
            "The NIC reckons with at least the length of the cable",
            "The NIC pauses too late for what is on its way, and drops it.",
            "set the length of the cable on the NIC (mlnx_qos --cable_len, cableLen)",
            "Linux mlx5 en/port_buffer.c (calculate_xoff)",
        ),
        (
            "NIC009",
            Severity.ERROR,
            "The lossless receive buffer of the NIC holds what the leaf sends after a pause",
            "The buffer overflows while the pause takes effect.",
            "give the buffer of the priority more bytes (mlnx_qos --buffer_size)",
            "Linux mlx5 en/port_buffer.c (update_xoff_threshold)",
        ),
        (
            "NIC010",
            Severity.ERROR,
            "A NIC behind switches that spray accepts packets out of order",
            "A NIC that waits for the order asks for packets again that were only overtaken.",
            "enable adaptive routing on the NIC, or balance by flow on the switches",
            "Mellanox/nic-configuration-operator (ROCE_ADAPTIVE_ROUTING_EN of Spectrum-X)",
        ),
        (
            "NIC011",
            Severity.ERROR,
            "The NIC slows down for the marks of the leaf",
            "Marks that no NIC answers leave all congestion to PFC, which spreads it.",
            "enable DCQCN for the lossless priority on the NIC",
            _DCQCN,
        ),
        (
            "NIC012",
            Severity.ERROR,
            "NIC and leaf port carry the same packets",
            "Packets that are longer than the MTU of the other end are dropped without a word.",
            "set the MTU of the NIC to that of the fabric",
            "InfiniBand Architecture Specification 1.4 volume 1 annex A17 (RoCEv2)",
        ),
        (
            "NIC013",
            Severity.ERROR,
            "Pauses of the whole link are off where PFC is on",
            "The NIC stops all priorities, and the leaf reads its pauses as none of PFC.",
            "turn pause frames of the link off (ethtool -A rx off tx off)",
            "IEEE 802.3-2018 annex 31B; IEEE 802.1Q-2018 clause 36.1",
        ),
        (
            "NIC014",
            Severity.WARNING,
            "The queue of CNPs does not depend on the release of the operator",
            "The default changed from DSCP 4 to 48: an upgrade moves CNPs to another queue.",
            "set CNP_DSCP_P1 in rawNvConfig",
            _OPERATOR,
        ),
        (
            "NIC015",
            Severity.ERROR,
            "No raw settings stand next to a Spectrum-X profile",
            "Releases 25.10, 26.1 and 26.10 of the operator reject the object, and set nothing.",
            "remove rawNvConfig, or spectrumXOptimized",
            f"{_OPERATOR}; Mellanox/nic-configuration-operator pull request 481",
        ),
        (
            "NIC016",
            Severity.WARNING,
            "A NIC profile is about NICs that are there",
            "Settings of other NICs are not judged, so that no finding means nothing.",
            "name the NIC as the inventory does, or leave the file out",
            "docs/reference/nic-profiles.md",
        ),
        (
            "NIC019",
            Severity.ERROR,
            "A NIC profile has a form and a version that are known",
            "A setting in a form that is not known would count as absent.",
            "use one of the forms of docs/reference/nic-profiles.md",
            "docs/reference/nic-profiles.md",
        ),
    )
}
