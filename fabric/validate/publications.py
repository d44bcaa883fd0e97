"""Where the publications that rules cite can be read: the help address of a rule in SARIF.

A source names its publication in words; this table knows the public address of each. Vendors move
single pages, so that a manual is named by its first page.
"""

from __future__ import annotations

import re

_RFC = re.compile(r"RFC (\d+)")
_REPOSITORY = re.compile(r"(?:^|; |\()((?!docs/|fabric/)[\w-]+/[\w.-]+)(?= )")
_LINUX_DOCS = re.compile(r"Linux Documentation/([\w/-]+)\.rst")
_LINUX_FILE = re.compile(r"Linux ((?:drivers|include|net)/[\w/.-]+\w)")

#: Words of a source, and the address of what they name; the first that fits counts.
_ADDRESSES = (
    ("SIGCOMM 2015", "https://doi.org/10.1145/2785956.2787484"),
    ("SIGCOMM 2016", "https://doi.org/10.1145/2934872.2934908"),
    ("ECN or Delay", "https://doi.org/10.1145/2999572.2999593"),
    ("HotNets 2016", "https://doi.org/10.1145/3005745.3005760"),
    ("SIGCOMM 2024", "https://doi.org/10.1145/3651890.3672233"),
    ("Rail-only", "https://arxiv.org/abs/2307.12169"),
    ("NCCL user guide", "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/"),
    (
        "Cumulus Linux 5.14",
        "https://docs.nvidia.com/networking-ethernet-software/cumulus-linux-514/",
    ),
    ("400g100gpam4", "https://docs.nvidia.com/networking/display/400g100gpam4ovpub"),
    ("DGX SuperPOD", "https://docs.nvidia.com/dgx-superpod/"),
    ("pyavd", "https://github.com/aristanetworks/avd"),
    ("eos.arista.com", "https://eos.arista.com/"),
    ("Arista EOS manual", "https://www.arista.com/en/um-eos"),
    ("juniper.net", "https://www.juniper.net/documentation/"),
    (
        "Cisco Nexus 9000",
        "https://www.cisco.com/c/en/us/support/switches/nexus-9000-series-switches/series.html",
    ),
    ("H3C", "https://www.h3c.com/en/Support/Resource_Center/Technical_Documents/"),
    ("h3c.com", "https://www.h3c.com/en/Support/Resource_Center/Technical_Documents/"),
    ("AMD Pensando", "https://docs.amd.com/"),
    ("Broadcom, RDMA over Converged Ethernet", "https://github.com/sonic-net/SONiC"),
    ("IEEE 802", "https://www.ieee802.org/1/"),
    ("InfiniBand Architecture", "https://www.infinibandta.org/ibta-specification/"),
    ("PCI Local Bus Specification", "https://pcisig.com/specifications"),
    ("iproute2", "https://man7.org/linux/man-pages/man8/ip.8.html"),
    (
        "systemd.link",
        "https://www.freedesktop.org/software/systemd/man/latest/systemd.link.html",
    ),
)


def help_address(source: str) -> str:
    """Return where the source of a rule can be read; empty where it is not public by address."""
    patterns = (
        (_RFC, "https://www.rfc-editor.org/rfc/rfc{}"),
        (_REPOSITORY, "https://github.com/{}"),
        (_LINUX_DOCS, "https://docs.kernel.org/{}.html"),
        (_LINUX_FILE, "https://github.com/torvalds/linux/blob/master/{}"),
    )
    for pattern, address in patterns:
        if match := pattern.search(source):
            return address.format(match[1])
    return next((address for words, address in _ADDRESSES if words in source), "")
