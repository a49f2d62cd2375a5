// SPDX-License-Identifier: GPL-2.0-only
// A bounded file of lines: a full file becomes FILE.1, FILE.1 becomes FILE.2, and the oldest is
// removed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "linux/common/descriptor.h"

namespace penstock::gw {

class RotatingFile {
 public:
  // All `files` together have `size_bytes` at most, and one line more.
  RotatingFile(std::string path, std::uint64_t size_bytes, std::uint64_t files);

  // True if the file is empty: the first line of each file is due.
  bool is_new() const { return held_bytes_ == 0; }
  // Makes room first, so that a line is whole in one file. Throws Error.
  void make_room(std::size_t bytes);
  void write(std::string_view lines);

 private:
  void open_file();
  void end_cut_line(off_t size);

  std::string path_;
  std::uint64_t each_bytes_;
  std::uint64_t files_;
  std::uint64_t held_bytes_ = 0;
  Descriptor file_;
};

}  // namespace penstock::gw
