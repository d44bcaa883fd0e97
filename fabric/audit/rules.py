"""What `rocefab audit` looks at: one row for each rule."""

from __future__ import annotations

from fabric.audit.host_rules import HOST_RULES
from fabric.core.findings import Severity
from fabric.validate.rule import DescribedRule, areas

areas.add("AUD")("Running configurations (`rocefab audit`)")

_GUIDE = "docs/lossless.md: the same limits that `rocefab check` judges an inventory by"

AUDIT_RULES: dict[str, DescribedRule] = {
    row[0]: DescribedRule(*row)
    for row in (
        (
            "AUD001",
            Severity.ERROR,
            "A switch has a lossless class",
            "Without PFC the first full buffer drops RoCE packets, and go-back-N repeats them all.",
            "enable PFC for one priority on every port",
            "IEEE 802.1Q-2018 clause 36",
        ),
        (
            "AUD002",
            Severity.ERROR,
            "Every port in use has the same lossless priorities",
            "A port without the class drops what all others hold back.",
            "configure the port as the others",
            "IEEE 802.1Q-2018 clause 36",
        ),
        (
            "AUD003",
            Severity.ERROR,
            "Every lossless queue marks ECN",
            "PFC without ECN spreads congestion to innocent flows until whole rails stand still.",
            "set ECN thresholds on the queue of the class",
            "SIGCOMM 2015, Zhu et al. (DCQCN), section 2; RFC 3168",
        ),
        (
            "AUD004",
            Severity.ERROR,
            "ECN thresholds are in order",
            "With Kmin at or above Kmax, or no probability, a queue marks all at once or nothing.",
            "set Kmin below Kmax, and a probability above 0",
            "SIGCOMM 2015, Zhu et al. (DCQCN), section 3",
        ),
        (
            "AUD005",
            Severity.ERROR,
            "ECN marks before PFC pauses",
            "A Kmin above the pause threshold marks nothing before the port is paused.",
            "lower Kmin, or raise the pause threshold",
            "SIGCOMM 2015, Zhu et al. (DCQCN), section 4",
        ),
        (
            "AUD006",
            Severity.WARNING,
            "The PFC watchdog is on where PFC is",
            "One NIC that keeps pausing stops its rail; the watchdog ends that.",
            "enable the watchdog on the port, with a time for detection",
            "SIGCOMM 2016, Guo et al. (RDMA over Commodity Ethernet at Scale), section 4.3",
        ),
        (
            "AUD007",
            Severity.ERROR,
            "Ports with PFC trust DSCP",
            "RoCE packets of a port that trusts nothing travel in the lossy class.",
            "trust DSCP on the port",
            "RFC 2474; IEEE 802.1Q-2018 clause 6.9.3",
        ),
        (
            "AUD008",
            Severity.ERROR,
            "A DSCP leads to each lossless class, and its queue is its own",
            "A class that no DSCP reaches is never used; a shared queue pauses other traffic.",
            "map the DSCP of RoCE to the class, and the class to a separate queue",
            _GUIDE,
        ),
        (
            "AUD009",
            Severity.ERROR,
            "The MTU of every port in use carries RoCE packets of 4,096 bytes",
            "Larger packets than the port takes are dropped without a word.",
            "set an MTU of 9,000 bytes or more",
            "InfiniBand Architecture Specification 1.4 volume 1 section 9.2 and annex A17 (RoCEv2)",
        ),
        (
            "AUD010",
            Severity.WARNING,
            "ARP entries end before MAC entries",
            "A MAC entry that ends first makes the switch flood lossless traffic to all ports.",
            "set the ARP timeout below the MAC ageing time",
            "SIGCOMM 2016, Guo et al. (RDMA over Commodity Ethernet at Scale), section 4.2",
        ),
        (
            "AUD011",
            Severity.WARNING,
            "Equal paths are chosen by UDP source port too",
            "RoCE flows between two NICs differ in the UDP source port alone: all take one path.",
            "hash addresses and ports",
            "InfiniBand Architecture Specification annex A17 (RoCEv2): UDP source port",
        ),
        (
            "AUD012",
            Severity.WARNING,
            "BGP notices a dead path within 30 s",
            "Until the hold time ends, a share of all flows goes into a path that is dead.",
            "set timers such as 3 and 9 s, or BFD",
            "RFC 7938 section 7.1; RFC 4271 section 10 (90 s by default)",
        ),
        (
            "AUD013",
            Severity.WARNING,
            "Profiles and policies that are used exist, and those that exist are used",
            "A port with a profile that does not exist has no policy at all.",
            "correct the name, or remove what nothing uses",
            _GUIDE,
        ),
        (
            "AUD014",
            Severity.WARNING,
            "No more than two priorities are lossless",
            "Each lossless priority of each port reserves headroom; most chips have room for two.",
            "keep PFC for RoCE alone",
            "IEEE 802.1Q-2018 annex N",
        ),
        (
            "AUD015",
            Severity.WARNING,
            "A lossless queue is served in turn and has a share",
            "A strict RoCE queue starves all others; one without a share is starved itself.",
            "serve it in turn, with a share",
            _GUIDE,
        ),
        (
            "AUD016",
            Severity.ERROR,
            "The two ends of a cable agree",
            "One end pauses a class that the other does not know, or drops what is too long.",
            "use the same configuration at both ends",
            "IEEE 802.1Q-2018 clause 36",
        ),
        (
            "AUD017",
            Severity.WARNING,
            "Switches and hosts put the same DSCPs into the same lossless class",
            "A packet that is lossless on one switch is dropped on the next.",
            "use one priority and one DSCP map everywhere",
            "RFC 2474",
        ),
        (
            "AUD018",
            Severity.INFO,
            "Every line about the lossless class is understood",
            "The effect of a line that the reader does not know is unknown.",
            "review the line",
            _GUIDE,
        ),
        (
            "AUD019",
            Severity.ERROR,
            "A configuration can be read",
            "What cannot be read is not judged.",
            "name the system with --system, or correct the file",
            _GUIDE,
        ),
        *HOST_RULES,
        (
            "AUD040",
            Severity.ERROR,
            "Headroom holds what arrives after a pause",
            "Two frames and the pause itself are on their way before any peer can stop.",
            "raise the headroom to that of the vendor's table for speed and length of the cable",
            "IEEE 802.1Q-2018 annex N; docs/lossless.md",
        ),
        (
            "AUD041",
            Severity.WARNING,
            "LLDP sees what the description of a port names",
            "A cable in another port than planned gives the flow of one rail to another one.",
            "move the plug, or correct the description",
            "IEEE 802.1AB-2016 clause 8",
        ),
        (
            "AUD042",
            Severity.WARNING,
            "What the audit misses cannot stand in a line that it does not know",
            "A verdict needs knowledge: what was not understood may be what seems to be absent.",
            "review the line, or report it, so that the reader learns it",
            _GUIDE,
        ),
    )
}
