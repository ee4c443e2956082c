"""What an embedder's numbers mean, found out on conversations that were made up for it."""
