"""The native kernels, typed; ``reference`` is the plain NumPy version of each."""

from hippocampus.kernel._native import (
    Bm25Index,
    DynamicWaveletMatrix,
    WaveletMatrix,
    best_two,
    build_info,
    dot_rows,
    hamming_scan,
    maxsim,
    quantise_rows,
    scan_signs,
    scan_turned,
    set_simd_path,
    sign_codes,
    sum_rows,
    top_k,
)

__all__ = [
    "Bm25Index",
    "DynamicWaveletMatrix",
    "WaveletMatrix",
    "best_two",
    "build_info",
    "dot_rows",
    "hamming_scan",
    "maxsim",
    "quantise_rows",
    "scan_signs",
    "scan_turned",
    "set_simd_path",
    "sign_codes",
    "sum_rows",
    "top_k",
]
