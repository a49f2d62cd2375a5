// SPDX-License-Identifier: GPL-2.0-only
// One loaded BPF object: constants set, maps pinned or taken from the pins.
#pragma once

#include <memory>
#include <string>

#include "linux/gateway/bpf/shared.h"
#include "linux/gateway/tool/attach/hooks.h"

struct bpf_object;

namespace penstock::gw {

class Program {
 public:
  // Loads with `config`. Maps already pinned in `pins` are reused; new ones are pinned there. An
  // empty `pins` pins nothing.
  Program(const gw_config& config, const std::string& pins);

  // Starts the clock, and initialises the method if `fresh`.
  void start(bool fresh) const;

  // From now on Pins::change_settings() changes those of this program.
  void pin_settings(const std::string& pins) const;

  Programs hooks() const { return {fd("penstock_forward"), fd("penstock_reverse")}; }
  int fd(const char* name) const;
  int map_fd(const char* name) const;

 private:
  // 0, or minus errno. `casts`: the object that reads the kernel's queue with loads.
  int load(const gw_config& config, const std::string& pins, bool casts);

  struct Close {
    void operator()(bpf_object* object) const;
  };
  std::unique_ptr<bpf_object, Close> object_;
};

// Features of the running kernel.
bool kernel_has_btf();

// Otherwise programs read the kernel's queue as those of Linux before 6.2 do, for tests.
void allow_casts(bool allow);

// Prints libbpf's messages to stderr, or discards them.
void show_libbpf_messages(bool show);

}  // namespace penstock::gw
