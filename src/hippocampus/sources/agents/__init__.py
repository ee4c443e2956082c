"""What coding agents wrote before: logs of their sessions, and the files they take for memory."""
