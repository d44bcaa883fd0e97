"""What every room uses: errors, findings, units, the registry, artefacts, host lists."""
