"""One file per embedder that is not the default one."""
