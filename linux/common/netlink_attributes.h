// SPDX-License-Identifier: GPL-2.0-only
// What a message of the kernel's netlink says: its attributes, by type.
#pragma once

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>

namespace penstock {

// The attributes of one message, or those inside another.
class Attributes {
 public:
  Attributes() = default;  // none

  Attributes(const void* first, std::size_t length)
      : first_(static_cast<const rtattr*>(first)), length_(static_cast<int>(length)) {}

  // Behind the `header_bytes` of its family's own header.
  Attributes(const nlmsghdr* message, std::size_t header_bytes)
      : Attributes(static_cast<const char*>(NLMSG_DATA(message)) + NLMSG_ALIGN(header_bytes),
                   message->nlmsg_len - NLMSG_SPACE(header_bytes)) {}

  // The first of a type, or null.
  const rtattr* find(int type) const {
    int left = length_;
    for (const rtattr* a = first_; RTA_OK(a, left); a = RTA_NEXT(a, left))
      if ((a->rta_type & NLA_TYPE_MASK) == type) return a;
    return nullptr;
  }

  Attributes inside(int type) const {
    const rtattr* found = find(type);
    return found ? Attributes(RTA_DATA(found), RTA_PAYLOAD(found)) : Attributes();
  }

  template <typename Value>
  std::optional<Value> value(int type) const {
    const rtattr* found = find(type);
    if (!found || RTA_PAYLOAD(found) < sizeof(Value)) return std::nullopt;
    Value value;
    std::memcpy(&value, RTA_DATA(found), sizeof(value));
    return value;
  }

  std::string text(int type) const {
    const rtattr* found = find(type);
    if (!found) return "";
    const auto* begin = static_cast<const char*>(RTA_DATA(found));
    return {begin, strnlen(begin, RTA_PAYLOAD(found))};
  }

 private:
  const rtattr* first_ = nullptr;
  int length_ = 0;
};

}  // namespace penstock
