"""What the Linux systems among the stand-ins share beside the shell."""
