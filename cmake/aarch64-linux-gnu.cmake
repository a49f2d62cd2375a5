# SPDX-License-Identifier: GPL-2.0-only
# Toolchain of the arm64 wheel: Debian's cross compiler, with an arm64 Debian of unpacked packages
# as PENSTOCK_SYSROOT (tools/make_wheels.py makes it).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PENSTOCK_SYSROOT)
set(CMAKE_SYSROOT "${PENSTOCK_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
# nanobind's files are in the Python that builds.
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
