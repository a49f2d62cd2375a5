// SPDX-License-Identifier: GPL-2.0-only
// An error for the user: one message and the exit code of the program.
#pragma once

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace penstock {

enum Exit {
  kOk = 0,
  kFailed = 1,
  kUsage = 2,
  kNotAttached = 3,  // LSB status: not running
  kDegraded = 4,
  kMissing = 69,     // EX_UNAVAILABLE: the kernel lacks a feature that the command needs
  kPermission = 77,  // EX_NOPERM
  kConfig = 78,      // EX_CONFIG
  kInterrupted = 130,
};

struct Error : std::runtime_error {
  Error(Exit exit_code, const std::string& message)
      : std::runtime_error(message), code(exit_code) {}
  Exit code;
};

// `what: reason` for an errno; kPermission for missing rights, which `rights` names.
inline Error system_error(const std::string& what, int error_number, const char* rights = "root") {
  const bool denied = error_number == EPERM || error_number == EACCES;
  return {denied ? kPermission : kFailed,
          what + ": " + std::strerror(error_number) +
              (denied ? " (needs " + std::string(rights) + ")" : "")};
}

}  // namespace penstock
