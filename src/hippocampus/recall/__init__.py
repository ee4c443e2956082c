"""The read flow: understand, ask the cues, fuse, rerank, explain. Recall only reads."""
