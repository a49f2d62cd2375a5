# SPDX-License-Identifier: GPL-2.0-only
# The extension module penstock._native.
# From 3.12 on, one module for all versions of Python; scikit-build-core says so in SKBUILD_SABI_*.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module
  ${SKBUILD_SABI_COMPONENT})
execute_process(
  COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
  OUTPUT_STRIP_TRAILING_WHITESPACE
  OUTPUT_VARIABLE nanobind_ROOT
  RESULT_VARIABLE nanobind_missing)
if(nanobind_missing)
  message(FATAL_ERROR "nanobind is not installed for ${Python_EXECUTABLE}: "
    "pip install nanobind, or configure with -DPENSTOCK_PYTHON=OFF")
endif()
find_package(nanobind CONFIG REQUIRED)

file(GLOB python_sources CONFIGURE_DEPENDS sim/python/*.cpp)
nanobind_add_module(_native STABLE_ABI NB_STATIC NB_SUPPRESS_WARNINGS ${python_sources})
target_link_libraries(_native PRIVATE penstock_sim)
penstock_target(_native)
install(TARGETS _native LIBRARY DESTINATION penstock)
