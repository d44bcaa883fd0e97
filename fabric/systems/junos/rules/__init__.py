"""Rules about junos: each module registers its own."""

from fabric.core.plugins import import_modules

import_modules(__name__)
