"""The doors over HTTP and the command line."""
