# SPDX-License-Identifier: GPL-2.0-only
# Builds the module, its examples, its test suite and the lab's runner against an installed ns-3:
#   cmake -S ns3 -B BUILD -Dns3_DIR=.../site-packages/ns3/lib64/cmake/ns3
# PENSTOCK_NS3_SCRIPTS lists scripts of one's own.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# ns-3's classes have assertions, and members that exist only with them.
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
find_package(ns3 CONFIG REQUIRED)

# The targets of the wheel name folders and libraries of the machine that built it. Of these only
# ns-3's own count; what else it needs, its libraries carry along or load themselves.
get_filename_component(ns3_prefix "${ns3_DIR}/../../.." ABSOLUTE)
foreach(module core network stats bridge mpi internet traffic-control flow-monitor
        point-to-point applications antenna energy mobility propagation spectrum wifi)
  if(TARGET ns3::${module})
    get_target_property(needed ns3::${module} INTERFACE_LINK_LIBRARIES)
    list(FILTER needed INCLUDE REGEX "^ns3::")
    set_target_properties(ns3::${module} PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${ns3_prefix}/include"
      INTERFACE_LINK_LIBRARIES "${needed}")
  endif()
endforeach()

# ns-3's way: headers are included as ns3/NAME.h.
foreach(header ${penstock_headers})
  get_filename_component(name ${header} NAME)
  configure_file(${header} include/ns3/${name} COPYONLY)
endforeach()

set(penstock_warnings -Wall -Wextra -Wshadow -Wconversion -Werror)
# Of clang's -Wconversion what gcc's has: in C++ that is not the sign.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND penstock_warnings -Wno-sign-conversion)
endif()

function(penstock_library target)
  add_library(${target} ${ARGN} ${penstock_sources})
  target_include_directories(${target} PUBLIC "${CMAKE_CURRENT_BINARY_DIR}/include")
  target_include_directories(${target} PRIVATE "${penstock_root}" model)
  target_link_libraries(${target} PUBLIC ns3::internet ns3::traffic-control)
  target_compile_options(${target} PRIVATE ${penstock_warnings})
endfunction()

penstock_library(penstock STATIC)
# For ns-3's Python bindings, which load it.
penstock_library(penstock-shared SHARED EXCLUDE_FROM_ALL)
set_target_properties(penstock-shared PROPERTIES OUTPUT_NAME penstock)

# Types register themselves when the program starts, so all of the library is to be linked.
function(penstock_link name)
  target_link_libraries(${name} PRIVATE -Wl,--whole-archive penstock -Wl,--no-whole-archive
    ns3::internet ns3::point-to-point ns3::applications ns3::flow-monitor ${ARGN})
endfunction()

function(penstock_program name)
  add_executable(${name} ${ARGN})
  penstock_link(${name})
  target_compile_options(${name} PRIVATE ${penstock_warnings})
endfunction()

file(GLOB lab_sources CONFIGURE_DEPENDS lab/*.cc)
list(APPEND lab_sources "${penstock_root}/sim/tcp/autotune.cpp")
penstock_program(penstock-ns3 ${lab_sources})
target_include_directories(penstock-ns3 PRIVATE "${penstock_root}" model)
target_link_libraries(penstock-ns3 PRIVATE ns3::wifi)

option(PENSTOCK_NS3_TESTS "Build the examples and the test suite" ON)
if(PENSTOCK_NS3_TESTS)
  penstock_program(penstock-dumbbell examples/penstock-dumbbell.cc)
  penstock_program(penstock-freeze examples/penstock-freeze.cc)
  penstock_program(penstock-tests test/penstock-test-suite.cc test/main.cc)
  target_include_directories(penstock-tests PRIVATE model)
endif()

set(PENSTOCK_NS3_SCRIPTS "" CACHE STRING "Scripts to build, each as the program of its name")
foreach(script ${PENSTOCK_NS3_SCRIPTS})
  get_filename_component(name "${script}" NAME_WE)
  add_executable(${name} "${script}")
  penstock_link(${name} ns3::wifi)
endforeach()
