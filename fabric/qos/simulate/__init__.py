"""Packet simulator of an incast: DCQCN, PFC, shared buffers, hop by hop."""
