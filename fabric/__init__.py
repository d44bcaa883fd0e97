"""rocefab: one model for both sides of a lossless RoCEv2 fabric."""

DISTRIBUTION = "rocefab"
__version__ = "0.1.0"
