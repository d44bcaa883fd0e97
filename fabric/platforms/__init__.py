"""What a network operating system or a switch model *is*: data, no input or output."""

from fabric.platforms.model import Platform, platforms

__all__ = ["Platform", "platforms"]
