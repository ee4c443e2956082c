"""One file for each peer; a peer is imported only where its adapter is opened."""
