"""The SSH server of the stand-ins: login, sessions, SFTP."""
