# SPDX-License-Identifier: GPL-2.0-only
# core/ and the simulator as another build has them, which is brought up to date first.
set(built penstock_core penstock_sim)
set(archives ${built})
list(TRANSFORM archives PREPEND "${PENSTOCK_BUILT}/lib")
list(TRANSFORM archives APPEND ".a")
add_custom_target(penstock_built
  COMMAND "${CMAKE_COMMAND}" --build "${PENSTOCK_BUILT}" -t penstock_sim
  BYPRODUCTS ${archives} VERBATIM)
foreach(name archive IN ZIP_LISTS built archives)
  add_library(${name} STATIC IMPORTED)
  add_dependencies(${name} penstock_built)
  set_target_properties(${name} PROPERTIES
    IMPORTED_LOCATION "${archive}"
    IMPORTED_LINK_INTERFACE_LANGUAGES CXX
    SYSTEM OFF)
  target_compile_features(${name} INTERFACE c_std_11 cxx_std_20)
endforeach()
target_include_directories(penstock_core INTERFACE "${CMAKE_CURRENT_SOURCE_DIR}")
target_compile_definitions(penstock_core INTERFACE PST_LINKED)
target_link_libraries(penstock_sim INTERFACE penstock_core)
