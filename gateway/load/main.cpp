// SPDX-License-Identifier: GPL-2.0-only
// penstock-load: sends and receives test traffic, and watches queues.
#include "gateway/link/cli.h"
#include "gateway/load/options.h"
#include "gateway/load/player.h"

int main(int count, char** arguments) {
  using penstock::load::Command;
  return penstock::run_program("penstock-load", [&]() -> int {
    const Command command = penstock::load::parse_command(count, arguments);
    switch (command.kind) {
      case Command::Kind::kPlay:
        return penstock::load::play(command.plan, command.as_json);
      case Command::Kind::kWatch:
        return penstock::load::watch(command.watch);
      case Command::Kind::kHelp:
        break;
    }
    penstock::load::print_help();
    return penstock::kOk;
  });
}
