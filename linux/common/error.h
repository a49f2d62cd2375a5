// SPDX-License-Identifier: GPL-2.0-only
// An error for the user: one message and the exit code of the program.
#pragma once

#include <sys/resource.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
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

// A limit of this process in words: "1024", "none". It allocates nothing.
struct LimitText {
  char text[24] = "none";
};
template <typename Resource>
LimitText limit_text(Resource resource) {
  LimitText told;
  rlimit limit{};
  if (!getrlimit(resource, &limit) && limit.rlim_cur != RLIM_INFINITY)
    std::snprintf(told.text, sizeof told.text, "%ju", std::uintmax_t{limit.rlim_cur});
  return told;
}

// The limits of memory in words. It allocates nothing.
struct MemoryLimits {
  char text[200];
};
inline MemoryLimits memory_limits() {
  MemoryLimits told;
  std::snprintf(told.text, sizeof told.text,
                " (limits of memory: locked %s, ulimit -l; address space %s, ulimit -v; that of "
                "the cgroup, MemoryMax= of the unit)",
                limit_text(RLIMIT_MEMLOCK).text, limit_text(RLIMIT_AS).text);
  return told;
}

// Which limits may have run out, and how to see them; empty for other errors.
inline std::string limits_of(int error_number) {
  if (error_number == EMFILE)
    return " (the limit of open files is " + std::string(limit_text(RLIMIT_NOFILE).text) +
           ": ulimit -n, LimitNOFILE= of the unit)";
  if (error_number == ENFILE) return " (the limit of the system is the sysctl fs.file-max)";
  if (error_number == ENOMEM) return memory_limits().text;
  return "";
}

// `what: reason` for an errno; kPermission for missing rights, which `rights` names.
inline Error system_error(const std::string& what, int error_number, const char* rights = "root") {
  const bool denied = error_number == EPERM || error_number == EACCES;
  return {denied ? kPermission : kFailed,
          what + ": " + std::strerror(error_number) + limits_of(error_number) +
              (denied ? " (needs " + std::string(rights) + ")" : "")};
}

}  // namespace penstock
