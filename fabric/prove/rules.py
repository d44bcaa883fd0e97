"""What `rocefab prove` looks at: one row for each promise, whichever engine proves it."""

from __future__ import annotations

from fabric.core.findings import Severity
from fabric.validate.rule import DescribedRule, areas

areas.add("BAT")("Proof of configuration files (`rocefab prove`)")

_BGP = "RFC 4271 section 9.1; RFC 7938 section 5"
_OWN = "own definition: held against the design of the inventory"
_TENANTS = "own definition: held against the tenants of the inventory"


_RENDERED = "compare the file with `rocefab render`; report a line that rocefab rendered"

PROOF_RULES: dict[str, DescribedRule] = {
    row[0]: DescribedRule(*row)
    for row in (
        (
            "BAT001",
            Severity.ERROR,
            "Every line about ports, VLANs or routing is understood",
            "The effect of a line that the engine cannot read is unknown, so the proof has a gap.",
            "remove the line, or leave the device out of the proof",
            _OWN,
        ),
        (
            "BAT002",
            Severity.ERROR,
            "Ports, VLANs and gateways are as designed",
            "A port that is shut down, has another address or is in another VLAN carries nothing.",
            _RENDERED,
            _OWN,
        ),
        (
            "BAT003",
            Severity.ERROR,
            "Every planned BGP session comes up and exchanges its routes",
            "Without the session no traffic takes its cable; others carry more.",
            "make address, AS number and activation agree at both ends",
            _BGP,
        ),
        (
            "BAT004",
            Severity.WARNING,
            "Every switch uses the next hops of the design, and no others",
            "A missing next hop costs bandwidth and redundancy; another one is a detour or a leak.",
            "inspect the session and the policies of the switch that is named",
            _BGP,
        ),
        (
            "BAT005",
            Severity.ERROR,
            "Every NIC reaches every NIC that the design promises, over every equal path",
            "A flow that is hashed to a bad path is lost, while ping over another path works.",
            "inspect the first switch without a route",
            _OWN,
        ),
        (
            "BAT006",
            Severity.ERROR,
            "NICs that the design keeps apart do not reach each other",
            "Planes, or rails of a rail-only fabric, that are joined share their failures.",
            "look for a session or a static route between them",
            _OWN,
        ),
        (
            "BAT007",
            Severity.ERROR,
            "No packet is forwarded in a loop",
            "A loop of lossless queues is a deadlock: it stops the cluster, not one flow.",
            "remove the static route or the policy that sends it back",
            "RFC 7938 section 5.2; CoNEXT 2017, Hu et al., Tagger (deadlock by loops)",
        ),
        (
            "BAT008",
            Severity.ERROR,
            "No address is on two ports",
            "Two owners of an address answer in turn, and flows die in between.",
            "give one of them another address",
            "RFC 5227",
        ),
        (
            "BAT009",
            Severity.ERROR,
            "The MTU of every port is at least the planned one",
            "RoCE packets of the planned size are dropped without a word.",
            _RENDERED,
            _OWN,
        ),
        (
            "BAT010",
            Severity.ERROR,
            "Router ids are unique",
            "Two switches with one router id do not peer, and break ties differently.",
            "use the loopback address as router id",
            "RFC 4271 section 4.2, RFC 6286",
        ),
        (
            "BAT011",
            Severity.ERROR,
            "Every policy and prefix list that is used exists",
            "Systems differ: some let everything through then, some nothing.",
            "correct the name",
            _OWN,
        ),
        (
            "BAT012",
            Severity.ERROR,
            "BGP converges",
            "Routes that keep changing reorder and lose packets.",
            "inspect the policies that prefer routes over each other",
            "RFC 3345",
        ),
        (
            "BAT013",
            Severity.ERROR,
            "Every equal path may be used",
            "Uplinks beyond the limit stand idle while the others are full.",
            "raise bgp.max_paths if it is lower, or compare the file with `rocefab render`",
            "RFC 7938 section 6.1",
        ),
        (
            "BAT014",
            Severity.ERROR,
            "Every NIC reaches its gateway",
            "A NIC that does not reach its gateway stops every collective that includes it.",
            "make VLAN, gateway and prefix length of port and host agree",
            _OWN,
        ),
        (
            "BAT015",
            Severity.ERROR,
            "A failure costs what `whatif` says",
            "One of the two is wrong, and a maintenance window relies on both.",
            "report it with the inventory",
            _OWN,
        ),
        (
            "BAT016",
            Severity.WARNING,
            "The file of every switch is read",
            "What was not read is not proved.",
            "none: there is nothing to change in the inventory",
            _OWN,
        ),
        (
            "BAT017",
            Severity.ERROR,
            "The proof took place",
            "A service that is away, too old or out of time proves nothing.",
            "see the message; `--engine own` needs no service",
            _OWN,
        ),
        (
            "BAT018",
            Severity.WARNING,
            "Two engines read the same in the files",
            "Batfish has no `maximum-paths` of FRR; anything else means that one misread a file.",
            "compare the routes of the switch itself; report it with the file",
            _OWN,
        ),
        (
            "BAT019",
            Severity.ERROR,
            "Flows that arrived before the change arrive after it",
            "A change that breaks a flow does so for the jobs that run.",
            "inspect the switch where the packets end",
            _OWN,
        ),
        (
            "BAT020",
            Severity.INFO,
            "Routes are those from before the change",
            "A change of cables or policies that was not meant shows here first.",
            "if the change is not meant, compare both inventories with `rocefab diff`",
            _OWN,
        ),
        (
            "BAT021",
            Severity.ERROR,
            "Every port is in the VRF of its tenant, and no other port is",
            "A NIC in another VRF is with another customer; one in none reaches every switch.",
            _RENDERED,
            _TENANTS,
        ),
        (
            "BAT022",
            Severity.ERROR,
            "No NIC of a tenant reaches a NIC of another one",
            "Customers that see each other's traffic are no longer customers.",
            "inspect the first line that joins the two VRFs",
            _TENANTS,
        ),
        (
            "BAT023",
            Severity.ERROR,
            "No NIC of a tenant reaches a loopback, a tunnel end point or management",
            "From the default VRF a host attacks switches, and makes tunnels into any tenant.",
            "remove what leads from the VRF into the default one",
            "Linux Documentation/networking/vrf.rst (unreachable default route)",
        ),
        (
            "BAT024",
            Severity.ERROR,
            "Every NIC of a tenant reaches all NICs of the tenant",
            "A job of the tenant that includes the pair of NICs stops.",
            "inspect the VRF at the two leaves that are named",
            _TENANTS,
        ),
        (
            "BAT025",
            Severity.ERROR,
            "Services are reached by the tenants that list them, and by no others",
            "A service that is joined to too many VRFs joins these as well.",
            "compare the leaks of the VRF with `services` of the tenants",
            _TENANTS,
        ),
        (
            "BAT026",
            Severity.ERROR,
            "EVPN has the planned sessions, relays and tunnel end points",
            "Without a session at both ends, or with another next hop, packets end in a spine.",
            "make activation, source and next hop agree at both ends",
            "RFC 9136 section 4.4; RFC 8365 section 5.1.3",
        ),
        (
            "BAT027",
            Severity.ERROR,
            "A VRF has the same VNI on every leaf, and no other VRF has it",
            "A packet out of the tunnel enters the VRF of its VNI, whoever sent it.",
            _RENDERED,
            "RFC 7348 section 4; RFC 9136 section 4.4.1",
        ),
        (
            "BAT028",
            Severity.ERROR,
            "A VRF imports and exports the route target of its tenant alone",
            "Route targets decide which VRF has routes of which: one digit joins two customers.",
            _RENDERED,
            "RFC 4364 section 4.3.1",
        ),
        (
            "BAT029",
            Severity.ERROR,
            "A VRF announces the subnets of its NICs, and nothing else",
            "A default or kernel route of one leaf attracts traffic of all others.",
            "announce connected subnets by a policy with the pools of the tenant",
            _TENANTS,
        ),
        (
            "BAT030",
            Severity.WARNING,
            "A route distinguisher is on one VRF of one switch",
            "Relays take routes of two leaves for the same, and keep one of them.",
            "use the loopback and the id of the tenant",
            "RFC 4364 section 4.2",
        ),
        (
            "BAT031",
            Severity.ERROR,
            "A leaf has the VRFs of the tenants that have NICs there",
            "A VRF that is missing carries nothing; one that is left over may get a port.",
            _RENDERED,
            _TENANTS,
        ),
        (
            "BAT032",
            Severity.WARNING,
            "A VRF of a tenant has no static route that is not planned",
            "It sends packets of the tenant to a place that no line of the inventory names.",
            "remove the line",
            _TENANTS,
        ),
    )
}

#: Rules about tenants.
TENANT_RULES = tuple(f"BAT{number:03}" for number in range(21, 33))

#: Rules that one engine alone looks at.
OWN_ONLY = ("BAT012", "BAT013", "BAT025", *(f"BAT{number:03}" for number in range(27, 33)))
BATFISH_ONLY = ("BAT017", "BAT018", "BAT019")

#: Rules that need files from before the change.
CHANGE_ONLY = ("BAT019", "BAT020")

#: Rules that need a failure to try.
FAILURE_ONLY = ("BAT015",)
