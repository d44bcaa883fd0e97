#!/bin/env python3
#md5sum="d025d25daad85a0b066a7bb0bb39d31a"
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
    sys.exit("the switch has serial %s, and its script is for %s" % (serial, SERIAL))
vrf = os.environ.get("POAP_VRF", "management")
cli("terminal dont-ask ; copy %s %s vrf %s" % (URL, FILE, vrf))
if MD5 not in re.findall("[0-9a-f]{32}", cli("show file %s md5sum" % FILE).lower()):
    sys.exit("%s is not the file that was written" % URL)
cli("copy %s scheduled-config" % FILE)
