"""What three makers' tools print and take for one NIC that fits its leaf port, and mistakes in it.

CNPs have DSCP 48 and a priority of the fabric, RoCE data DSCP 26 and priority 3.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from tests.audit.host_outputs import mlnx_qos

TEMPLATE = """\
apiVersion: configuration.net.nvidia.com/v1alpha1
kind: NicConfigurationTemplate
metadata: {name: roce, namespace: nvidia-network-operator}
spec:
  nicSelector: {nicType: "1021"}
  template:
    numVfs: 0
    linkType: Ethernet
    roceOptimized:
      enabled: true
      roceMode: 2
      qos:
        trust: dscp
        pfc: "0,0,0,1,0,0,0,0"
        tos: 104
        cableLen: 30
        ecn: {enabled: true, priority: 3}
        pauseFrames: {enabled: false}
    rawNvConfig:
    - {name: CNP_DSCP_P1, value: "48"}
    - {name: CNP_802P_PRIO_P1, value: "CNP"}
"""
SETUPCC = "bnxt_setupcc.sh -d bnxt_re0 -i eth1 -m 3 -r 3 -s 26 -c CNP -p 48 -b 50 -u 3\n"
NICCLI = """\
IEEE 8021QAZ ETS Configuration TLV:
         PRIO_MAP: 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:2
         TC Bandwidth: 50% 50% 0%
         TSA_MAP: 0:ets 1:ets 2:strict
IEEE 8021QAZ PFC TLV:
         PFC enabled: 3
IEEE 8021QAZ APP TLV:
         APP#0:
          Priority: CNP
          Sel: 5
          DSCP: 48

         APP#1:
          Priority: 3
          Sel: 5
          DSCP: 26

         APP#2:
          Priority: 3
          Sel: 3
          UDP or DCCP: 4791

TC Rate Limit: 100% 100% 100% 0% 0% 0% 0% 0%
"""
NICCTL = """\
NIC  : 42424650-4c32-3531-3230-303443000000 (0000:f6:00.0)

Port : 04908130-a7a0-4242-4242-000011010000

Classification type         : DSCP

DSCP-to-priority :
DSCP bitmap               : 0xfffeffff_fbffffff ==> priority : 0
DSCP                      : 0-25, 27-47, 49-63 ==> priority : 0
DSCP                      : 26 ==> priority : 3
DSCP                      : 48 ==> priority : CNP

PFC :
PFC priority bitmap       : 0x8
PFC no-drop priorities    : 3

Lif id                                     : 43000070-0100-0000-4242-04908130a7a0
ROCE device                                : ionic_7
DCQCN profile id                         : 1
Status                                   : Enabled
Token bucket size                        : 800000
DSCP value used for CNP                  : 48

Port : 04908132-5d88-4242-4242-000011010000 (eth1/1)
  Spec:
    Pause type                               : PFC
    MTU                                      : 9216
"""
NICCTL_CALLS = """\
nicctl update qos --classification-type dscp
nicctl update qos dscp-to-priority --dscp 26 --priority 3
nicctl update qos dscp-to-priority --dscp 48 --priority CNP
nicctl update qos pfc --priority 3 --no-drop enable
nicctl update dcqcn -r ionic_0 -i 1 --token-bucket-size 800000 --cnp-dscp 48
"""


def mlxconfig(cnp: int) -> str:
    """Return the JSON that mlxconfig writes."""
    keys = {
        "CNP_DSCP_P1": "48",
        "CNP_802P_PRIO_P1": str(cnp),
        "ROCE_CC_PRIO_MASK_P1": "8",
        "ROCE_ADAPTIVE_ROUTING_EN": "False(0)",
    }
    rows = {
        name: {"current_value": value, "default_value": value, "modified": False}
        | {"next_value": value, "read_only": False}
        for name, value in keys.items()
    }
    device = {"description": "NIC", "device": "18:00.0", "device_type": "ConnectX7", "name": "N"}
    return json.dumps({"Device #1": device | {"tlv_configuration": rows}}, indent=4) + "\n"


def texts(maker: str, cnp: int) -> dict[str, str]:
    """Return the files of a NIC, by their names."""
    files = {
        "mlx5": {
            "template.yaml": TEMPLATE,
            "mlnx_qos-eth1.txt": mlnx_qos().replace("prio:6 dscp:48", "prio:CNP dscp:48"),
            "mlxconfig-eth1.json": mlxconfig(cnp),
        },
        "bnxt": {"setupcc.sh": SETUPCC, "niccli-eth1.txt": NICCLI},
        "ionic": {"nicctl-eth1.txt": NICCTL, "calls.sh": NICCTL_CALLS},
    }
    return {name: filled(text, cnp) for name, text in files[maker].items()}


def filled(text: str, cnp: int) -> str:
    """Return a text with the priority of CNPs."""
    return re.sub(r"\bCNP(?=[\" \n])(?! +:)", str(cnp), text)


class Mistake(NamedTuple):
    """One value that is wrong, and the rule that says so.

    ``planned`` marks what an inventory alone can contradict: no configuration says it.
    """

    maker: str
    file: str
    right: str
    wrong: str
    rule: str
    planned: bool = False


T, Q, M = "template.yaml", "mlnx_qos-eth1.txt", "mlxconfig-eth1.json"
S, B, N, C = "setupcc.sh", "niccli-eth1.txt", "nicctl-eth1.txt", "calls.sh"
MISTAKES = (
    Mistake("mlx5", T, "trust: dscp", "trust: pfc", "NIC007"),
    Mistake("mlx5", T, "0,0,0,1,0", "0,0,0,0,1", "NIC001"),
    Mistake("mlx5", T, "tos: 104", "tos: 0", "NIC003"),
    Mistake("mlx5", T, "cableLen: 30", "cableLen: 4", "NIC008", planned=True),
    Mistake("mlx5", T, "priority: 3}", "priority: 4}", "NIC011"),
    Mistake("mlx5", T, "pauseFrames: {enabled: false}", "pauseFrames: {enabled: true}", "NIC013"),
    Mistake("mlx5", T, '_P1, value: "48"', '_P1, value: "4"', "NIC005"),
    Mistake("mlx5", Q, "enabled     0   0   0   1", "enabled     0   0   1   1", "NIC001"),
    Mistake("mlx5", Q, "61440,196608,0", "61440,90112,0", "NIC009", planned=True),
    Mistake("mlx5", M, '"next_value": "8"', '"next_value": "1"', "NIC011"),
    Mistake("bnxt", S, "-r 3", "-r 4", "NIC002"),
    Mistake("bnxt", S, "-s 26", "-s 25", "NIC003"),
    Mistake("bnxt", S, "-p 48", "-p 26", "NIC005"),
    Mistake("bnxt", S, "-p 48", "-p 0", "NIC005"),
    Mistake("bnxt", S, "-d bnxt_re0", "-d bnxt_re0 -v 1", "NIC007"),
    Mistake("bnxt", B, "PFC enabled: 3", "PFC enabled: none", "NIC001"),
    Mistake("bnxt", B, "PFC enabled: 3", "PFC enabled: 3 4", "NIC001"),
    Mistake("bnxt", B, "3\n          Sel: 5", "2\n          Sel: 5", "NIC004"),
    Mistake("bnxt", B, "3\n          Sel: 3", "5\n          Sel: 3", "NIC002"),
    Mistake("bnxt", S, "-c CNP", "-c 0", "NIC006", planned=True),
    Mistake("ionic", N, "type         : DSCP", "type : PCP", "NIC007"),
    Mistake("ionic", N, "bitmap       : 0x8", "bitmap       : 0x10", "NIC001"),
    Mistake("ionic", N, "26 ==> priority : 3", "26 ==> priority : 4", "NIC004"),
    Mistake("ionic", N, "used for CNP                  : 48", "used for CNP : 46", "NIC005"),
    Mistake("ionic", N, "Status                                   : Enabled", "Status : Disabled", "NIC011"),  # noqa: E501
    Mistake("ionic", N, "MTU                                      : 9216", "MTU : 1500", "NIC012"),
    Mistake("ionic", C, "--dscp 26 --priority 3", "--dscp 26 --priority 5", "NIC004"),
    Mistake("ionic", C, "pfc --priority 3", "pfc --priority 2", "NIC001"),
    Mistake("ionic", C, "--cnp-dscp 48", "--cnp-dscp 26", "NIC005"),
    Mistake("ionic", N, "48 ==> priority : CNP", "48 ==> priority : 3", "NIC004", planned=True),
)  # fmt: skip
