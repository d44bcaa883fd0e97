"""Changes: diff, plan, apply with a safety net, rollback, drift, and the journal of it all."""
