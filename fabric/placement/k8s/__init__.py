"""Objects for Kubernetes: networks of the rails, NIC settings, addresses, jobs."""
