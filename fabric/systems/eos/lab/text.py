"""Text forms of a few show commands of the EOS stand-in; the others exist in JSON only.

Known: column layouts from networktocode/ntc-templates ``tests/arista_eos``. Templates fill in the
answer that the command gives in JSON.
"""

from __future__ import annotations

from fabric.lab.pages import pages


def _short(name: str) -> str:
    return name.replace("Ethernet", "Et").replace("Management", "Ma").replace("Port-Channel", "Po")


page = pages(__file__, short=_short)
#: Template of a command.
TEXTS = {
    "show version": "version",
    "show hostname": "hostname",
    "show lldp neighbors": "lldp",
    "show interfaces status": "status",
    "show ip bgp summary [ vrf all ]": "bgp",
}
