# SPDX-License-Identifier: GPL-2.0-only
# Toolchain of wheels for older C libraries and for musl: PENSTOCK_ZIG compiles for
# PENSTOCK_ZIG_TARGET, with the C library's headers and libc++ that zig brings
# (tools/make_wheels.py).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER "${PENSTOCK_ZIG}" cc -target "${PENSTOCK_ZIG_TARGET}" -dynamic)
set(CMAKE_CXX_COMPILER "${PENSTOCK_ZIG}" c++ -target "${PENSTOCK_ZIG_TARGET}" -dynamic)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PENSTOCK_ZIG PENSTOCK_ZIG_TARGET)
