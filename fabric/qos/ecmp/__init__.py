"""ECMP with few large flows: load of the fullest link, queue pairs, hashes of tiers, entropy."""
