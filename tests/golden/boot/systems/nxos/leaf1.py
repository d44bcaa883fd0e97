#!/bin/env python3
#md5sum="50939a4a1810a99ab35f7b589273854a"
"""Written by rocefab: lets leaf1 start with its configuration."""

import os
import re
import sys

from cli import cli

SERIAL = "ABC123"
URL = "http://192.168.0.2:8781/leaf1.cfg"
MD5 = "f4b0719e56c9ea64944357c3e95fc449"
FILE = "bootflash:rocefab.cfg"

serial = os.environ.get("POAP_SERIAL", "")
if SERIAL and serial and serial != SERIAL:
    sys.exit(f"the switch has serial {serial}, and its script is for {SERIAL}")
vrf = os.environ.get("POAP_VRF", "management")
cli(f"terminal dont-ask ; copy {URL} {FILE} vrf {vrf}")
if MD5 not in re.findall("[0-9a-f]{32}", cli(f"show file {FILE} md5sum").lower()):
    sys.exit(f"{URL} is not the file that was written")
cli(f"copy {FILE} scheduled-config")
