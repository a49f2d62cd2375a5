// SPDX-License-Identifier: GPL-2.0-only
// A whole world as a script: its settings, its connections, and what happens to them. One seed is
// one script; text of it is one line each, so that a failing one can be cut line by line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace penstock::world {

using u64 = std::uint64_t;

// The fields of a line, all numbers: F(name).
#define PENSTOCK_WORLD_SETTINGS(F)                                     \
  F(seed)         /* of what is drawn while it runs */                 \
  F(rate_kbps)    /* of the bottleneck behind the gateway */           \
  F(buffer_bytes) /* of its queue */                                   \
  F(near_us)      /* from the data's sender to the gateway, one way */ \
  F(far_us)       /* from the gateway to the receiver */               \
  F(method)       /* index into kMethods */                            \
  F(mode)         /* index into kModes */                              \
  F(flows)        /* that the table of the gateway holds */            \
  F(half_open)    /* handshakes, likewise */                           \
  F(heal_us)      /* no event acts later */                            \
  F(signal)       /* of a discipline: 0 its own, 1 CE */
#define PENSTOCK_WORLD_FLOW(F)                                                            \
  F(number)       /* gives addresses and ports */                                         \
  F(start_us)     /**/                                                                    \
  F(pause_us)     /* the sender's application rests for so long after half of its data */ \
  F(far_opens)    /* the data's receiver opens the connection */                          \
  F(near_bytes)   /* from the near end, whose data the gateway controls */                \
  F(far_bytes)    /* and to it */                                                         \
  F(near_mss)     /**/                                                                    \
  F(far_mss)      /**/                                                                    \
  F(near_scale)   /* 255: without the option */                                           \
  F(far_scale)    /**/                                                                    \
  F(far_buffer)   /* the receive buffer */                                                \
  F(isn)          /* of both, with a constant between them */                             \
  F(ipv6)         /**/                                                                    \
  F(sack)         /* both ends offer it */                                                \
  F(ecn)          /* both ends offer it: 2 for data with ECT(0), 1 with ECT(1) */         \
  F(deaf)         /* its senders ignore ECE, and slow down at losses alone */             \
  F(stall_us)     /* the receiver's application rests for so long after half of it */     \
  F(unseen)       /* its SYNs pass beside the gateway, which does not control it then */  \
  F(quits_us)     /* so long after its start both ends vanish; 0: they do not */          \
  F(again)        /* has the addresses and ports of the flow of this number, and starts   \
                     when that one is over; 0: its own */
#define PENSTOCK_WORLD_EVENT(F)                                           \
  F(kind)         /* of kKinds, by its name in text */                    \
  F(at_us)        /**/                                                    \
  F(for_us)       /* how long it acts, if it does */                      \
  F(flow)         /* the number of the connection concerned, for liars */ \
  F(place)        /* of the path, 0 to 3, for links */                    \
  F(value)        /* by kind */                                           \
  F(draw)         /* the seed of its own choices */

#define PENSTOCK_WORLD_FIELD(name) u64 name = 0;
struct Settings {
  PENSTOCK_WORLD_SETTINGS(PENSTOCK_WORLD_FIELD)
};
struct Flow {
  PENSTOCK_WORLD_FLOW(PENSTOCK_WORLD_FIELD)
};
struct Event {
  PENSTOCK_WORLD_EVENT(PENSTOCK_WORLD_FIELD)
};
#undef PENSTOCK_WORLD_FIELD

// What may happen: K(name, value). Links first, then liars, then the gateway.
#define PENSTOCK_WORLD_KINDS(K)                                                          \
  K(lose, "of 100 packets, at random")                                                   \
  K(twice, "of 100 packets arrive twice")                                                \
  K(late, "of 100 packets wait up to 50 ms, and others overtake them")                   \
  K(damage, "of 100 packets with a bit that flips")                                      \
  K(cut, "of 100 packets in two fragments")                                              \
  K(replay, "of 100 packets again after up to 10 s")                                     \
  K(route, "the direction, 0 forward: packets pass beside the gateway")                  \
  K(handshake, "a forged one: its scale; 16 more where the far end opens; 32 with data") \
  K(blind_acks, "two ACKs to the sender, 2^31 apart: the window field")                  \
  K(blind, "a segment of random numbers: its flags")                                     \
  K(flood, "so many SYNs from everywhere")                                               \
  K(crowd, "so many other handshakes, completed")                                        \
  K(detach, "the gateway goes, and comes back with empty tables at the end")             \
  K(restart, "the program is replaced, the tables stay")                                 \
  K(observe, "the gateway only watches")                                                 \
  K(set, "another rate, in percent of the link's")                                       \
  K(stop_clock, "the gateway's timers stand still")                                      \
  K(leap, "the gateway's clock leaps ahead, in ms")                                      \
  K(cpus, "a second CPU's packet runs at the first one's nth call of a helper")          \
  K(refuse, "of 100 entries for the tables, so many are refused")

enum class Kind : u64 {
#define PENSTOCK_WORLD_KIND(name, value) k_##name,
  PENSTOCK_WORLD_KINDS(PENSTOCK_WORLD_KIND)
#undef PENSTOCK_WORLD_KIND
      kCount
};

struct Script {
  Settings settings;
  std::vector<Flow> flows;
  std::vector<Event> events;
};

inline constexpr const char* kMethods[] = {"penstock", "integral", "share", "ewt", "ared"};
inline constexpr const char* kModes[] = {"safe", "strict"};

// The generator of all choices: splitmix64.
class Draw {
 public:
  explicit Draw(u64 seed) : state_(seed) {}
  u64 next();
  u64 below(u64 limit) { return limit ? next() % limit : 0; }
  u64 between(u64 low, u64 high) { return low + below(high - low + 1); }
  bool percent(u64 of_100) { return below(100) < of_100; }

 private:
  u64 state_;
};

Script script_of(u64 seed);
std::string text_of(const Script& script);
// Throws std::runtime_error with the line that cannot be read.
Script parse_script(const std::string& text);
// Throws std::runtime_error if the file cannot be read, and as parse_script.
Script read_script(const std::string& path);

}  // namespace penstock::world
