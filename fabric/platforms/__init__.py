"""What a network operating system or a switch model *is*: data, no input or output."""

from fabric.platforms.model import platforms
from fabric.platforms.system import Platform

__all__ = ["Platform", "platforms"]
