// The Python face of the kernels. Bindings hold no algorithm.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

NB_MODULE(_native, m) { m.doc() = "Native kernels of hippocampus."; }
