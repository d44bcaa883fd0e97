"""The figures behind lossless Ethernet: headroom and thresholds, as pure functions."""
