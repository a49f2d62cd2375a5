// SPDX-License-Identifier: GPL-2.0-only
// A second process that outlives this one, to take away what this one has made even after SIGKILL.
#pragma once

#include <functional>

#include "linux/common/descriptor.h"

namespace penstock::gw {

class Survivor {
 public:
  // Before threads and sockets. There, `told` gets each word of tell(), and `after` runs once this
  // process has ended or the object is gone. Throws Error.
  Survivor(const std::function<void(char)>& told, const std::function<void()>& after);
  // Waits until `after` has run.
  ~Survivor();
  Survivor(const Survivor&) = delete;
  Survivor& operator=(const Survivor&) = delete;

  void tell(char word) const;
  // `after` runs without anybody waiting for it.
  void leave();

 private:
  Descriptor pipe_;
  int process_ = 0;
};

}  // namespace penstock::gw
