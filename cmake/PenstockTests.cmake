# SPDX-License-Identifier: GPL-2.0-only
# The C++ tests: of core/ one binary a source, so that a changed header is soon tested
# (tools/edit_to_test), of the rest one a folder: sim_tests from tests/sim, live_tests from the
# folders in tests/linux, gateway_tests from tests/gateway. And the dumbbell, whose instructions a
# test counts.
find_package(GTest REQUIRED)
set(results "${PROJECT_BINARY_DIR}/results")
file(MAKE_DIRECTORY "${results}")

# ctest runs a program as this many processes, each with its part of the tests: most tests take less
# time than a process does to start. GoogleTest writes how each ended into results/.
function(penstock_run name processes)
  math(EXPR last "${processes} - 1")
  foreach(part RANGE ${last})
    add_test(NAME ${name}.${part} COMMAND ${name} "--gtest_output=xml:${results}/${name}.${part}.xml")
    set_tests_properties(${name}.${part} PROPERTIES
      COST ${processes}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${processes};GTEST_SHARD_INDEX=${part}")
  endforeach()
endfunction()

function(penstock_tests name)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gtest_main)
  penstock_target(${name})
  # What is tested is optimised as a user has it; the tests themselves are compiled quickly.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(name IN_LIST computing)
    penstock_computes(${name})
  endif()
  if(precompiled AND NOT name IN_LIST computing)
    target_precompile_headers(${name} REUSE_FROM ${precompiled})
  else()
    target_precompile_headers(${name} PRIVATE <gtest/gtest.h>)
  endif()
  if(DEFINED ${name}_processes)
    penstock_run(${name} ${${name}_processes})
  else()
    penstock_run(${name} 1)
  endif()
endfunction()

# These compare so much that their own code counts, send in real time, or have copies of the
# simulator's inline functions, of which the linker keeps the first.
set(computing cake_test contest_test fair_pulse_test fair_spare_test options_test gateway_tests
  sim_tests)
set(sim_tests_processes 12)
# Fewer, as the tests of a process share loaded programs.
set(gateway_tests_processes 4)
file(GLOB core_tests CONFIGURE_DEPENDS tests/core/*_test.cpp)
file(GLOB_RECURSE sim_tests CONFIGURE_DEPENDS tests/sim/*_test.cpp)
foreach(source ${core_tests})
  get_filename_component(name "${source}" NAME_WE)
  penstock_tests(${name} "${source}")
  if(NOT precompiled)
    set(precompiled ${name})
  endif()
endforeach()
unset(precompiled)
penstock_tests(sim_tests ${sim_tests})
penstock_unity(sim_tests)
target_link_libraries(sim_tests PRIVATE penstock_sim)
# TCP without the network, for a test to run.
add_executable(lossy_pipe sim/tcp/example/lossy_pipe.cpp)
target_link_libraries(lossy_pipe PRIVATE penstock_sim)
penstock_target(lossy_pipe)
find_path(TOMLPP_INCLUDE toml++/toml.h)
if(TARGET penstock_load AND TOMLPP_INCLUDE)
  file(GLOB live_tests CONFIGURE_DEPENDS tests/linux/common/*_test.cpp
    tests/linux/link/*_test.cpp tests/linux/load/*_test.cpp)
  penstock_tests(live_tests ${live_tests})
  target_include_directories(live_tests SYSTEM PRIVATE "${TOMLPP_INCLUDE}")
  target_compile_definitions(live_tests PRIVATE
    TOML_HEADER_ONLY=1 "PENSTOCK_QUANTITIES=\"${PROJECT_SOURCE_DIR}/tests/quantities.toml\"")
  target_link_libraries(live_tests PRIVATE penstock_link penstock_load)
endif()
if(PENSTOCK_GATEWAY)
  file(GLOB gateway_tests CONFIGURE_DEPENDS tests/gateway/*_test.cpp
    tests/gateway/gateway_under_test.cpp tests/gateway/program_pool.cpp)
  penstock_tests(gateway_tests ${gateway_tests})
  target_link_libraries(gateway_tests PRIVATE penstock_gateway)
  add_subdirectory(tests/world)
endif()
add_subdirectory(bench)
# What the tests in Python run: no test of C++.
add_custom_target(programs DEPENDS dumbbell lossy_pipe)
foreach(program penstock-link penstock-load penstock-gw penstock-world)
  if(TARGET ${program})
    add_dependencies(programs ${program})
  endif()
endforeach()
