#pragma once

#include <nanobind/nanobind.h>

void bind_transformer(nanobind::module_& m);
