// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "linux/lab/load/task.h"

namespace penstock::load {

// One end of a TCP connection: connects, or accepts one connection.
class TcpTask : public Task {
 public:
  using Task::Task;
  void start() override;

 protected:
  virtual void begin() = 0;  // socket_ is connected, or about to be

  Descriptor listener_{};
  Descriptor socket_{};

 private:
  void accept_one();
};

}  // namespace penstock::load
