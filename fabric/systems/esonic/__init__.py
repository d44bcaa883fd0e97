"""Enterprise SONiC, a child of SONiC."""
