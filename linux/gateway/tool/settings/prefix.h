// SPDX-License-Identifier: GPL-2.0-only
// Prefixes of addresses: "10.0.0.0/8", "2001:db8::/32"; without /BITS all bits count.
#pragma once

#include <string>

#include "linux/gateway/bpf/shared.h"

namespace penstock::gw {

// `text`, which is `rule` or a part of it. Throws std::invalid_argument that names the rule; where
// there is no address it says that `forms` would be right.
gw_prefix parse_prefix(const std::string& rule, const std::string& text, const char* forms);

// ADDRESS/BITS. A mask that ends within the mapped part of an IPv4 address has IPv6's form.
std::string prefix_text(const gw_prefix& prefix);

// The number in `text`, a part of `rule`; throws likewise.
unsigned number_in(const std::string& rule, const std::string& text, unsigned least, unsigned most);

// The first `bits` of the word `index` of an address.
std::uint32_t prefix_mask(unsigned bits, unsigned index);

}  // namespace penstock::gw
