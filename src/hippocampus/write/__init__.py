"""The write flow: check, split, recognise, encode, commit."""
