# SPDX-License-Identifier: GPL-2.0-only
# How every target of ours is compiled. Other people's headers are SYSTEM, so the
# warnings are about our own code alone.

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# Assertions guard the invariants of a run and stay in: no NDEBUG.
set(CMAKE_CXX_FLAGS_RELEASE "-O3")
set(CMAKE_C_FLAGS_RELEASE "-O3")

# Link-time optimisation was measured on the dumbbell of bench/: 6 % fewer
# instructions, no less time. Not worth its build time.
function(penstock_target name)
  target_compile_features(${name} PUBLIC c_std_11 cxx_std_20)
  set_target_properties(${name} PROPERTIES
    C_EXTENSIONS OFF
    CXX_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden)
  # No -march=native and no fused multiply-add: the same results on any machine.
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wshadow -Wconversion -ffp-contract=off)
  if(PENSTOCK_WERROR)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
  # gcc 12 sees an overlap in std::string's operator+ where there is none (gcc bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  endif()
  # Of clang's -Wconversion what gcc's has: in C++ that is not the sign.
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-sign-conversion>)
  endif()
  if(PENSTOCK_SANITIZE)
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(${name} PRIVATE ${sanitizers})
    target_link_options(${name} PRIVATE ${sanitizers})
  endif()
  if(PENSTOCK_SANITIZE OR PENSTOCK_CHECKED)
    target_compile_definitions(${name} PRIVATE PST_CHECKED)
  endif()
endfunction()

# For what computes much. The sanitized build optimises nothing else: without optimisation the rest
# is compiled in half of the time. clang inlines nothing below -O2.
function(penstock_computes name)
  if(PENSTOCK_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${name} PRIVATE -O2)
  elseif(PENSTOCK_SANITIZE)
    target_compile_options(${name} PRIVATE -O1)
  endif()
endfunction()

# Eight sources a compilation: a third of the time, as most of it goes into their headers.
function(penstock_unity name)
  set_target_properties(${name} PROPERTIES
    UNITY_BUILD "${PENSTOCK_UNITY}"
    UNITY_BUILD_BATCH_SIZE 8)
endfunction()
