"""The native kernels, typed."""
