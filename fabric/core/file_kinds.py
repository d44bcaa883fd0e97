"""The kinds of files that a user names: how large each may be, and why."""

from __future__ import annotations

from enum import Enum

_KIB, _MIB, _GIB = 1 << 10, 1 << 20, 1 << 30


class FileKind(Enum):
    """A kind of file.

    Parameters
    ----------
    most_bytes : int
        A larger file is refused before it is read.
    why : str
        Reason of that limit: several times what the largest fabrics need.
    rule : str
        Id of findings about such a file.
    fix : str
        What to do where it cannot be read.
    """

    ACCEPTANCE = (
        *(64 * _MIB, "a line of 100 bytes for each of 600,000 failures"),
        *("ACC003", "use another --file, or remove this one to start again"),
    )
    APPROVALS = (
        *(_MIB, "an approval has 200 bytes: 5,000 people"),
        *("INT001", "`rocefab approve PLAN` writes them"),
    )
    BANDWIDTH = (
        *(64 * _MIB, "the log of 16,384 ranks has 3 MB, with NCCL_DEBUG ten times that"),
        *("BWT002", "name a result of nccl-tests, rccl-tests or a burn-in test"),
    )
    BOOT_LOG = (
        *(256 * _MIB, "a record has 200 bytes: a million of them"),
        *("ZTP007", "name the file that --boot-log wrote"),
    )
    CABLING = (
        *(64 * _MIB, "a cable has 100 bytes: 600,000 cables"),
        *("INT001", "check that it exists and is readable"),
    )
    CABLING_REPORT = (
        *(256 * _MIB, "a cable has 300 bytes: 800,000 cables"),
        *("INT041", "create it with `rocefab cabling --format json`"),
    )
    CONFIGURATION = (
        *(16 * _MIB, "CONFIG_DB of a switch with 512 ports has 2 MB"),
        *("AUD019", "name a configuration of a switch, or an output of a host"),
    )
    CONNECTIONS = (
        *(16 * _MIB, "a device has 300 bytes: 50,000 devices"),
        *("DEV001", "correct the connections file"),
    )
    DEFECT = (
        *(64 * _KIB, "a fact has 2 KB"),
        *("INT001", "check that it exists and is readable"),
    )
    DRIFT_REPORT = (
        *(64 * _MIB, "a deviation has 500 bytes: 100,000 of them"),
        *("INT001", "write it with `rocefab drift --format json`"),
    )
    ENVIRONMENT = (
        *(256 * _KIB, "1,000 variables of 256 bytes"),
        *("PLC006", "check that it exists and is readable"),
    )
    EVENTS = (
        *(_GIB, "an event has 500 bytes: two million of them"),
        *("INT001", "name a file that `rocefab drift --watch --events` writes"),
    )
    HARDWARE = (
        *(8 * _MIB, "platform.json of the largest switch has 200 KB"),
        *("INT001", "check that it exists and is readable"),
    )
    IMAGE = (
        *(16 * _GIB, "images of SONiC and NX-OS have 1 to 3 GB"),
        *("ZTP009", "put the image into the folder of --images"),
    )
    INVENTORY = (
        *(16 * _MIB, "an entry of a device has 300 bytes: 50,000 devices in a file"),
        *("INT001", "check that it exists and is readable"),
    )
    JOBS = (
        *(64 * _MIB, "100,000 jobs on 100 hosts each take half of it"),
        *("INT001", "name a list of jobs, as squeue prints it"),
    )
    KEY = (
        *(_MIB, "a chain of certificates has 20 kB"),
        *("INT001", "name a key or a certificate in PEM"),
    )
    MANIFEST = (
        *(256 * _MIB, "a file has 260 bytes: a million files"),
        *("INT001", "write the folder again with `rocefab render`"),
    )
    NIC_PROFILE = (
        *(16 * _MIB, "an object has 3 KB: 5,000 templates"),
        *("NIC019", "use one of the forms of docs/reference/nic-profiles.md"),
    )
    NOTE = (
        *(64 * _KIB, "a path, a URL, or who holds a lock"),
        *("INT001", "remove it"),
    )
    OTHER = (
        *(64 * _MIB, "other files in the folder of an inventory count by their content"),
        *("INT001", "move it out of the folder of the inventory"),
    )
    PLAN = (
        *(_GIB, "a first plan has 0.5 MB for a switch with 64 ports: 2,000 switches"),
        *("INT001", "create one with `rocefab plan`"),
    )
    READINGS = (
        *(64 * _GIB, "an hour of 2,000 devices every 30 s; read line by line"),
        *("OBS002", "write it by `rocefab observe --out FILE`"),
    )
    RENDERED = (
        *(64 * _MIB, "addresses of 131,072 neighbours on a host have 8 MB"),
        *("BAT001", "write the folder again with `rocefab render`"),
    )
    QUEUE = (
        *(64 * _MIB, "a job has 100 bytes: 600,000 of them"),
        "PLC033",
        'write {"format": "rocefab-queue/1", "jobs": [{"name": "job1", "nodes": 2}, ...]}',
    )
    SAVED_STATE = (
        *(_GIB, "it must be readable when a change is rolled back, whatever a device answered"),
        *("INT001", "`rocefab status --verify` lists what is damaged"),
    )
    SECRET = (
        *(64 * _KIB, "a password has a line; a certificate with its chain would fit"),
        *("DEV001", "name a file with a password"),
    )
    SERIALS = (
        *(64 * _MIB, "a lease has 200 bytes: 300,000 of them"),
        *("ZTP004", "name a packing list, leases of a DHCP server, or LLDP neighbours"),
    )
    SETTINGS = (
        *(_MIB, "a default of each option takes 100 kB"),
        *("CLI001", "check that it exists and is readable"),
    )
    SONIC_CONFIG = (
        *(16 * _MIB, "CONFIG_DB of a switch with 512 ports has 2 MB"),
        *("INT001", "specify a CONFIG_DB dump"),
    )
    SOURCE = (
        *(64 * _MIB, "131,072 NICs and as many links above them have 20 MB"),
        *("INT001", "check that it exists and is readable"),
    )
    STATE = (
        *(256 * _MIB, "`verify` of 16,384 hosts writes 20 MB"),
        *("INT001", "write it again"),
    )
    TABLE = (
        *(_MIB, "the largest table of sonic-net/sonic-buildimage 086b03bd has 6 KB"),
        *("INT001", "check that it exists and is readable"),
    )
    TOKENS = (
        *(_MIB, "a token has 100 bytes: 10,000 of them"),
        *("SRV002", "name a file of tokens"),
    )
    YANG = (
        *(4 * _MIB, "the largest model of SONiC has 100 kB"),
        *("INT001", "copy /usr/local/yang-models from a switch again"),
    )

    def __init__(self, most_bytes: int, why: str, rule: str, fix: str) -> None:
        self.most_bytes = most_bytes
        self.why = why
        self.rule = rule
        self.fix = fix

    @property
    def size(self) -> str:
        """The limit as messages say it."""
        for unit, name in ((_GIB, "GiB"), (_MIB, "MiB")):
            if self.most_bytes >= unit:
                return f"{self.most_bytes // unit} {name}"
        return f"{self.most_bytes // _KIB} KiB"
