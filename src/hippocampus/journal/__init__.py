"""The books of a bank: what was written, in order, and the texts themselves."""
