// The Python face of the wavelet matrices and of the Hamming scan.
#pragma once

#include <nanobind/nanobind.h>

void bind_wavelet(nanobind::module_& m);
