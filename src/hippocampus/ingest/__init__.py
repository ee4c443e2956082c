"""The write flow: check, recognise, split, encode."""
