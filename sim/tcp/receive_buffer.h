// SPDX-License-Identifier: GPL-2.0-only
// The data of a receiver, as offsets in the stream (seq.h): RFC 9293 section 3.10.7.4, RFC 2018
// section 4, RFC 2883. Owns RCV.NXT, what the application has read, and what lies beyond a hole. Is
// told of segments and of reading. Answers what is in order, and the blocks to report.
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "core/base.h"
#include "sim/tcp/config.h"
#include "sim/tcp/reassembly.h"

namespace penstock::tcp {

class ReceiveBuffer {
 public:
  enum class Arrival : std::uint8_t { kNothing, kHeld, kInOrder };  // new data, of the segment

  explicit ReceiveBuffer(const ReceiverConfig& config) : config_(&config) {}
  void open() { next_ = 1; }

  // A segment of which nothing beyond `edge` is taken.
  Arrival accept(std::uint64_t start, std::uint64_t payload_bytes, bool fin, std::uint64_t edge,
                 ReceiverCounters& counters) {
    PST_REQUIRE(next_ <= edge && is_sound());
    PST_REQUIRE(payload_bytes > 0 || fin);
    std::uint64_t end = start + payload_bytes;
    if (end + fin > edge) {
      ++counters.out_of_window;
      if (start >= edge) return Arrival::kNothing;
      end = std::min(end, edge);
      fin = false;
    }
    if (fin) fin_ = end;
    if (start > next_) return hold({start, end}, counters);
    return take({start, end}, counters);
  }

  std::uint64_t next() const { return next_; }  // RCV.NXT
  bool finished() const { return finished_; }  // all data up to the FIN
  bool has_holes() const { return reassembly_ != nullptr; }
  // From the first hole to the end of what is held; only with holes.
  std::uint64_t span_bytes() const { return reassembly_->span_bytes(next_); }
  std::uint64_t unread_bytes() const {
    PST_REQUIRE(read_ <= next_ && read_ <= fin_);
    return std::min(next_, fin_) - read_;
  }
  std::uint64_t read_end() const { return read_; }

  // At both ends of each event: what was read had come, and what is held lies beyond a hole.
  bool is_sound() const {
    return read_ <= std::max<std::uint64_t>(next_, 1) && (next_ <= fin_ || next_ == fin_ + 1) &&
           (!finished_ || !reassembly_) && (!reassembly_ || !reassembly_->empty());
  }

  void pause() { paused_ = true; }
  void resume() { paused_ = false; }
  bool paused() const { return paused_; }
  std::uint64_t read() {  // all that is in order; returns the bytes
    const std::uint64_t bytes = unread_bytes();
    read_ += bytes;
    PST_ENSURE(read_ <= next_);
    return bytes;
  }

  bool reports() const { return reassembly_ || duplicate_.end != 0; }
  void forget_duplicate() { duplicate_ = {}; }
  // Writes at most `most` blocks, and returns their number. A duplicate comes first, once
  // (RFC 2883 section 4).
  unsigned report(std::array<Interval, 3>& blocks, unsigned most);

 private:
  Arrival take(Interval range, ReceiverCounters& counters) {
    PST_REQUIRE(range.start <= next_);
    const std::uint64_t before = next_;
    const std::uint64_t known = std::min(range.end, next_);
    counters.duplicate_bytes += known - range.start;
    counters.received_bytes += range.end - known;
    if (config_->dsack && known > range.start) duplicate_ = {range.start, known};
    next_ = std::max(next_, range.end);
    if (reassembly_ && next_ > before) fill(counters);
    if (next_ == fin_) {
      ++next_;
      finished_ = true;
    }
    PST_ENSURE(next_ >= before && next_ >= range.end);
    PST_ENSURE(!finished_ || next_ == fin_ + 1);
    PST_ENSURE(is_sound());
    return next_ > before ? Arrival::kInOrder : Arrival::kNothing;
  }
  Arrival hold(Interval range, ReceiverCounters& counters);
  void fill(ReceiverCounters& counters);

  const ReceiverConfig* config_;
  std::unique_ptr<Reassembly> reassembly_;  // only while there are holes
  std::uint64_t next_ = 0;
  std::uint64_t read_ = 1;
  std::uint64_t fin_ = kNever;  // offset of the FIN, once seen
  Interval duplicate_{};  // to report in the next ACK, empty if none
  bool paused_ = false;
  bool finished_ = false;
};

}  // namespace penstock::tcp
