# SPDX-License-Identifier: GPL-2.0-only
# Header-only libraries.

# PACKAGE::TARGET by its CMake package, or by HEADER alone: PACKAGE_INCLUDE names its folder where
# it is not on the compiler's path, as in a cross build.
function(penstock_headers target header)
  string(REGEX REPLACE "::.*" "" package "${target}")
  find_package(${package} QUIET)
  if(TARGET ${target})
    return()
  endif()
  find_path(${package}_INCLUDE "${header}")
  if(${package}_INCLUDE)
    add_library(${target} INTERFACE IMPORTED)
    target_include_directories(${target} SYSTEM INTERFACE "${${package}_INCLUDE}")
  endif()
endfunction()
