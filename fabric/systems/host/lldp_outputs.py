"""lldpd prints text too; the JSON of it is in ``parsers``."""

from __future__ import annotations

from fabric.observe.hostfacts.lldp import parse_lldp_text
from fabric.observe.parsers.lldp import outputs

outputs.add("host")((parse_lldp_text,))
