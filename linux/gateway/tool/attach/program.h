// SPDX-License-Identifier: GPL-2.0-only
// One loaded BPF object: constants set, maps pinned or taken from the pins.
#pragma once

#include <memory>
#include <string>
#include <vector>

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

  // What may change while it runs, as `config` has it; before it is attached.
  void set_settings(const gw_config& config) const;

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

// Whether one program can run with both, as only what may change while it runs differs.
bool need_one_program(gw_config one, const gw_config& other);

// Programs of one attachment, which alternates between them: the verifier takes most of a change.
class LoadedPrograms {
 public:
  // One that was loaded before, or a new one.
  const Program& of(const gw_config& config, const std::string& pins);

 private:
  struct Kept {
    gw_config config;
    std::unique_ptr<Program> program;
  };
  std::vector<Kept> kept_;
};

// Features of the running kernel.
bool kernel_has_btf();

// Otherwise programs read the kernel's queue as those of Linux before 6.2 do, for tests.
void allow_casts(bool allow);

// Prints libbpf's messages to stderr, or discards them.
void show_libbpf_messages(bool show);

}  // namespace penstock::gw
