# SPDX-License-Identifier: GPL-2.0-only
# cmake -DROOT=... -DOUTPUT=... -P SourcesDigest.cmake: writes a header with a digest of the engine's
# sources, by which results are told apart. A digest of the binary would change with the compiler's
# options and paths, which change no result.
file(GLOB_RECURSE sources RELATIVE "${ROOT}"
  "${ROOT}/core/*.[ch]" "${ROOT}/sim/*.h" "${ROOT}/sim/*.cpp")
list(SORT sources)
set(all "")
foreach(source IN LISTS sources)
  file(SHA256 "${ROOT}/${source}" digest)
  string(APPEND all "${source} ${digest}\n")
endforeach()
string(SHA256 digest "${all}")
string(SUBSTRING "${digest}" 0 12 digest)
set(text "// SPDX-License-Identifier: GPL-2.0-only\n#define PENSTOCK_SOURCES \"${digest}\"\n")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" before)
endif()
if(NOT text STREQUAL "${before}")
  file(WRITE "${OUTPUT}" "${text}")
endif()
