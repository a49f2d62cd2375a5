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

# Run by every build; it writes the header only where the digest is another.
set(digest_header "${CMAKE_CURRENT_BINARY_DIR}/digest/sources_digest.h")
add_custom_target(penstock_sources_digest
  COMMAND "${CMAKE_COMMAND}" "-DROOT=${CMAKE_CURRENT_SOURCE_DIR}" "-DOUTPUT=${digest_header}"
    -P "${CMAKE_CURRENT_SOURCE_DIR}/cmake/SourcesDigest.cmake"
  BYPRODUCTS "${digest_header}"
  VERBATIM)
add_dependencies(_native penstock_sources_digest)
target_include_directories(_native PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/digest")
penstock_target(_native)
penstock_unity(_native)
install(TARGETS _native LIBRARY DESTINATION penstock)
