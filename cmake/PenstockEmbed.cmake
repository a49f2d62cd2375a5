# SPDX-License-Identifier: GPL-2.0-only
# Text files as constants of a C++ header: cmake -DOUTPUT=... -DFILES=a.html,b.js -P this file.
string(REPLACE "," ";" FILES "${FILES}")
set(text "// Generated.\n#pragma once\n\n#include <string_view>\n\n")
string(APPEND text "namespace penstock::gw::page {\n\n")
foreach(file IN LISTS FILES)
  file(READ "${file}" content)
  get_filename_component(name "${file}" NAME)
  string(MAKE_C_IDENTIFIER "${name}" name)
  string(APPEND text "inline constexpr std::string_view ${name} = R\"~page~(${content})~page~\";\n")
endforeach()
string(APPEND text "\n}  // namespace penstock::gw::page\n")
file(WRITE "${OUTPUT}" "${text}")
