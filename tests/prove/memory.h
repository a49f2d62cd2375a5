// SPDX-License-Identifier: GPL-2.0-only
// Pointers into a packet of any length. Each is a view: some bytes from an offset that may be any.
//
// Views are laid out in an arena, those whose offset is no further than the packet's end below
// Packet::end(), the others above: a sum of pointer and symbolic number forks into both, so that
// what core/ asks, whether a pointer is above end(), has its answer. A byte has no value before it
// is read; reading it claims that it is in the packet. Bytes that are read through two views are
// two bytes: more packets than there are, none less.
#ifndef PENSTOCK_TESTS_PROVE_MEMORY_H
#define PENSTOCK_TESTS_PROVE_MEMORY_H

#include "symbolic.h"

namespace prove {

using Byte = Int<8, false>;

class Packet : public Memory {
 public:
  // A packet of which @bytes are available.
  explicit Packet(const Int<32, false>& bytes) : end_(wide(bytes)) {
    current_ = this;
    for (Byte& byte : arena()) {
      byte.lies_in(*this);
    }
    view(Explorer::now().context().bv_val(0, 64));
  }
  Packet(const Packet&) = delete;
  Packet& operator=(const Packet&) = delete;
  ~Packet() override { current_ = nullptr; }

  static Packet& now() { return *current_; }

  const Byte* begin() const { return &arena()[0]; }
  const Byte* end() const { return &arena()[VIEWS * STRIDE - 1]; }

  // The pointer @by bytes behind @from.
  const Byte* behind(const Byte* from, const z3::expr& by) {
    const std::size_t at = static_cast<std::size_t>(from - begin());
    return view(offset(at) + by);
  }

  void read(Byte& byte) override {
    const std::size_t at = static_cast<std::size_t>(&byte - begin());
    if (at % STRIDE >= LONGEST) {
      throw Refuted("a read further from its pointer than the longest header");
    }
    Explorer::now().claim(z3::ult(offset(at), end_), "a read is inside the packet");
    byte = Byte::any(("byte " + std::to_string(++bytes_read_)).c_str());
  }

  static z3::expr wide(const Int<32, false>& bytes) { return Int<64, false>(bytes).term(); }

 private:
  static constexpr std::size_t VIEWS = 64;     // on each side of the end
  static constexpr std::size_t STRIDE = 256;   // bytes from view to view
  static constexpr std::size_t LONGEST = 128;  // of these, bytes that core/ may name

  static std::vector<Byte>& arena() {
    static std::vector<Byte> bytes(2 * VIEWS * STRIDE);
    return bytes;
  }

  z3::expr offset(std::size_t at) const {
    const std::size_t side = at / (VIEWS * STRIDE);
    const std::size_t index = at % (VIEWS * STRIDE) / STRIDE;
    if (index >= views_[side].size()) {
      throw Refuted("a pointer that nothing made");
    }
    return views_[side][index] + static_cast<int>(at % STRIDE);
  }

  const Byte* view(const z3::expr& offset) {
    const std::size_t side = Explorer::now().decide(z3::ule(offset, end_)) ? 0 : 1;
    views_[side].push_back(offset);
    if (views_[side].size() > VIEWS) {
      throw Refuted("more pointers than there is room for");
    }
    return &arena()[(side * VIEWS + views_[side].size() - 1) * STRIDE];
  }

  static inline Packet* current_ = nullptr;
  z3::expr end_;
  std::vector<z3::expr> views_[2];
  unsigned bytes_read_ = 0;
};

template <unsigned bits>
const Byte* operator+(const Byte* from, const Int<bits, false>& by) {
  return Packet::now().behind(from, Packet::wide(by));
}

// A number in the bytes at @p, on a machine of little-endian order.
template <unsigned bits>
void load(Int<bits, false>& value, const Byte* p) {
  z3::expr term = p[0].term();
  for (unsigned i = 1; i < bits / 8; ++i) {
    term = z3::concat(p[i].term(), term);
  }
  value = Int<bits, false>::of(term);
}

template <unsigned bits, Integer T>
Int<bits, false> swapped(const T& value) {
  const z3::expr term = Int<bits, false>(value).term();
  z3::expr turned = term.extract(7, 0);
  for (unsigned i = 8; i < bits; i += 8) {
    turned = z3::concat(turned, term.extract(i + 7, i));
  }
  return Int<bits, false>::of(turned);
}

}  // namespace prove

#endif
