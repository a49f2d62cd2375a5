// SPDX-License-Identifier: GPL-2.0-only
#include "sim/tcp/accecn.h"

#include <algorithm>

#include "sim/tcp/syn.h"

namespace penstock::tcp {
namespace {

constexpr unsigned kFirstAce = 5;  // section 3.2.1
constexpr unsigned kAceMask = 7;
constexpr std::uint32_t kCounterMask = 0xffffff;
// Of the option that we send, its kind is 174: ECT(1) comes first.
constexpr std::array<Ecn, kAccEcnCounters> kOrder1{kEct1, kCe, kEct0};
constexpr std::array<Ecn, kAccEcnCounters> kOrder0{kEct0, kCe, kEct1};

// Up to which counter an option must reach to hold that of the codepoint.
std::uint8_t position(Ecn codepoint) {
  const auto at = std::find(kOrder1.begin(), kOrder1.end(), codepoint);
  return static_cast<std::uint8_t>(at - kOrder1.begin() + 1);
}

}  // namespace

void EcnNegotiation::ask(Segment& syn) const {
  if (accurate_ && losses_ < kLossesToFallBack)
    set_ace(syn, kAceMask);
  else if (ecn_ && !accurate_)
    syn.flags |= kEce | kCwr;
}

void EcnNegotiation::answer(Segment& syn_ack) const {
  if (mode_ == EcnMode::kClassic) syn_ack.flags |= kEce;
  if (!accurate() || losses_ >= kLossesToFallBack) return;
  set_ace(syn_ack, ace_of_handshake(peer_));
  if (option_ && losses_ == 0 && syns_ == 1)
    put_accecn(syn_ack, kFirstEcnBytes[kEct1], kFirstEcnBytes[kCe], kFirstEcnBytes[kEct0]);
}

// Section 3.1.2: to an end that has it, any request but those for classic ECN and for none asks for
// accurate ECN.
void EcnNegotiation::hear_syn(const Segment& s) {
  const unsigned ace = ace_of(s);
  if (syns_ < kMostLosses) ++syns_;
  peer_ = Ecn{s.ecn};
  if (syns_ > 1) {
    if (accurate() && ace == 0) capable_ = false;  // section 3.1.4.1
    return;
  }
  if (accurate_ && ace != 0 && ace != 0b011)
    mode_ = EcnMode::kAccurate;
  else if (ecn_ && asks_for_ecn(s))
    mode_ = EcnMode::kClassic;
}

// Table 2; and 101, which stands for a codepoint that arrived as it was sent, section 3.1.3.
void EcnNegotiation::hear_syn_ack(const Segment& s) {
  const unsigned ace = ace_of(s);
  peer_ = Ecn{s.ecn};
  if (!accurate_) {
    if (ecn_ && asks_for_ecn(s)) mode_ = EcnMode::kClassic;
    return;
  }
  if (ace == 0 || ace == 0b111) return;
  mode_ = ace == 0b001 ? EcnMode::kClassic : EcnMode::kAccurate;
  if (!accurate() || ace == 0b101) return;
  for (const Ecn reported : {kNotEct, kEct1, kEct0, kCe})
    if (ace == ace_of_handshake(reported)) capable_ = is_possible(reported);
}

bool EcnNegotiation::hear_third_ack(const Segment& s) {
  if (!accurate()) return false;
  const unsigned ace = ace_of(s);
  if (ace == 0) {
    capable_ = false;
    if (losses_ >= kLossesToFallBack) mode_ = EcnMode::kNone;  // our SYN-ACK had no request
  }
  feedback_heard_ = true;
  if (s.payload_bytes > 0) return false;  // the third ACK was lost: this is a count already
  for (const Ecn reported : {kNotEct, kEct1, kEct0, kCe})
    if (ace == ace_of_handshake(reported) && !is_possible(reported)) capable_ = false;
  return ace == ace_of_handshake(kCe) && is_possible(kCe);
}

bool AccEcnEcho::take(const Segment& s) {
  PST_REQUIRE(!(s.flags & kSyn));
  if (has_accecn(s)) see_option();
  const bool marked = s.ecn == kCe;
  if (marked) {
    ++ce_packets_;
    pending_ = std::min<std::uint8_t>(pending_ + 1, kMostPending);
  }
  if (s.payload_bytes == 0) return false;
  const bool turns = marked && last_ != kCe;
  last_ = Ecn{s.ecn};
  if (last_ != kNotEct) {
    bytes_[last_] = (bytes_[last_] + s.payload_bytes) & kCounterMask;
    required_ = std::max(required_, position(last_));
  }
  return turns || pending_ >= kMostPending;
}

void AccEcnEcho::give(Segment& s, bool option, std::uint32_t room_bytes) {
  set_ace(s, kFirstAce + ce_packets_);
  pending_ = 0;
  if (!option || !peer_sends_ || (s.options & kExtension)) return;
  // A third block gives way to the option, a second one does not.
  const unsigned counters = lacks_third_counter(s.options) ? 2 : kAccEcnCounters;
  if (required_ > counters || accecn_bytes(counters) > room_bytes) return;
  if ((s.options & kSackCountMask) > kSackBlocksBesideExtension) --s.options;
  put_accecn(s, bytes_[kEct1], bytes_[kCe], bytes_[kEct0]);
  required_ = 0;
}

// True if it holds the counter of CE. A counter that went back is of an older ACK.
bool AccEcnFeedback::take_option(Segment ack) {
  const AccEcnOption& o = ack.accecn;
  const std::uint32_t third = o.counters == kAccEcnCounters ? third_counter(ack) : 0;
  const std::array<std::uint32_t, kAccEcnCounters> values{o.first, o.second, third};
  const auto& order = o.order1 ? kOrder1 : kOrder0;
  for (unsigned i = 0; i < o.counters; ++i) {
    const Ecn codepoint = order[i];
    const std::uint32_t sum = (values[i] - kFirstEcnBytes[codepoint]) & kCounterMask;
    const std::uint32_t more = (sum - static_cast<std::uint32_t>(bytes_[codepoint])) & kCounterMask;
    if (more <= kCounterMask / 2) bytes_[codepoint] += more;
  }
  return o.counters > 1;
}

// RFC 9768 appendix A.2: the field may have wrapped if an ACK covers more segments than it counts.
// `sure`: the option said how many bytes were marked.
std::uint64_t AccEcnFeedback::new_marks(unsigned ace, std::uint64_t segments, bool sure,
                                        std::uint64_t ce_bytes, std::uint32_t mss_bytes) const {
  constexpr std::uint32_t kCoalesced = 4;  // segments for which ACKs usually stand
  const std::uint64_t least = (ace - kFirstAce - ce_packets_) & kAceMask;
  if (segments <= kAceMask) return least;
  const std::uint64_t most = segments - ((segments - least) & kAceMask);
  PST_ENSURE(most >= least && most <= segments);
  if (!sure) return segments_an_ack_q6_ > kCoalesced << 6 ? least : most;
  // A.3: as many as the bytes take, by whole turns of the field.
  const std::uint64_t packets = (ce_bytes + mss_bytes - 1) / mss_bytes;
  if (packets <= least) return least;
  return pst_min(most, least + ((packets - least + kAceMask) & ~std::uint64_t{kAceMask}));
}

std::uint64_t AccEcnFeedback::take(const Segment& ack, std::uint64_t delivered,
                                   std::uint32_t mss_bytes) {
  PST_REQUIRE(mss_bytes > 0);
  const std::uint64_t segments = (delivered + mss_bytes - 1) / mss_bytes;
  const auto scaled = static_cast<std::uint32_t>(pst_min(segments, 1U << 16) << 6);
  if (segments_an_ack_q6_ == 0)
    segments_an_ack_q6_ = scaled;
  else if (segments > 0)
    segments_an_ack_q6_ = segments_an_ack_q6_ - (segments_an_ack_q6_ >> 6) + (scaled >> 6);
  const std::uint64_t ce_before = bytes_[kCe];
  const bool sure = (ack.options & kAccEcn) && take_option(ack);
  const std::uint64_t ce_bytes = bytes_[kCe] - ce_before;
  const std::uint64_t marks = new_marks(ace_of(ack), segments, sure, ce_bytes, mss_bytes);
  ce_packets_ += marks;
  PST_ENSURE(ce_packets_ >= marks);
  return pst_min(delivered, sure ? ce_bytes : marks * mss_bytes);
}

}  // namespace penstock::tcp
