// SPDX-License-Identifier: GPL-2.0-only
// One of ns-3's queue discs, given the arrivals and departures of a script on standard input:
//   arrive TIME_NS BYTES QUEUE ECN RANDOM_STREAM
//   leave TIME_NS
// Prints what happens to each packet, "TIME_NS what number", numbered from 0 by arrival; what is
// drop, mark or send.
//   discipline_ns3 TYPE [ATTRIBUTE=VALUE]...
#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdio>
#include <iostream>
#include <string>

using namespace ns3;

namespace {

/// A packet with its number, whose queue of FQ-CoDel the script has chosen.
class ScriptItem : public QueueDiscItem {
 public:
  ScriptItem(uint32_t number, uint32_t bytes, uint32_t queue, bool capable)
      : QueueDiscItem(Create<Packet>(bytes), Address(), 0x0800),
        m_number(number),
        m_queue(queue),
        m_capable(capable) {}

  void AddHeader() override {}

  bool Mark() override { return m_capable; }

  uint32_t Hash(uint32_t) const override { return m_queue; }

  uint32_t m_number; //!< of its arrival
  uint32_t m_queue;  //!< hash
  bool m_capable;    //!< ECT
};

uint32_t NumberOf(Ptr<const QueueDiscItem> item) {
  return DynamicCast<const ScriptItem>(item)->m_number;
}

void Note(const char* what, uint32_t number) {
  std::printf("%lld %s %u\n", static_cast<long long>(Simulator::Now().GetNanoSeconds()), what,
              number);
}

void NoteDrop(Ptr<const QueueDiscItem> item) { Note("drop", NumberOf(item)); }

void NoteMark(Ptr<const QueueDiscItem> item, const char*) { Note("mark", NumberOf(item)); }

/// Plays the script on one queue disc.
class Player {
 public:
  explicit Player(Ptr<QueueDisc> disc) : m_disc(disc) {
    disc->TraceConnectWithoutContext("Drop", MakeCallback(&NoteDrop));
    disc->TraceConnectWithoutContext("Mark", MakeCallback(&NoteMark));
  }

  void Arrive(uint32_t bytes, uint32_t queue, bool capable, int64_t stream) {
    // The script's random number: the first one of this stream.
    if (auto pie = DynamicCast<PieQueueDisc>(m_disc)) {
      pie->AssignStreams(stream);
    }
    if (auto red = DynamicCast<RedQueueDisc>(m_disc)) {
      red->AssignStreams(stream);
    }
    auto item = Create<ScriptItem>(m_arrivals++, bytes, queue, capable);
    item->SetTimeStamp(Simulator::Now());
    m_disc->Enqueue(item);
  }

  void Leave() {
    const bool isRed = DynamicCast<RedQueueDisc>(m_disc) != nullptr;
    if (isRed && m_disc->GetNPackets() == 0) {
      return;
    }
    if (auto item = m_disc->Dequeue()) {
      Note("send", NumberOf(item));
    }
    // As a device does: RED's idle time begins when a device finds nothing more.
    if (isRed && m_disc->GetNPackets() == 0) {
      m_disc->Dequeue();
    }
  }

 private:
  Ptr<QueueDisc> m_disc;
  uint32_t m_arrivals{0};
};

double FirstOf(int64_t stream) {
  auto random = CreateObject<UniformRandomVariable>();
  random->SetStream(stream);
  return random->GetValue();
}

} // namespace

int main(int argc, char* argv[]) {
  if (argc == 3 && std::string(argv[1]) == "--random") {
    for (int64_t stream = 0; stream < std::stoll(argv[2]); ++stream) {
      std::printf("%.17g\n", FirstOf(stream));
    }
    return 0;
  }
  ObjectFactory factory(argv[1]);
  uint32_t quantum = 0;
  for (int i = 2; i < argc; ++i) {
    const std::string pair = argv[i];
    const auto equals = pair.find('=');
    const std::string name = pair.substr(0, equals);
    if (name == "Quantum") // not an attribute
    {
      quantum = std::stoul(pair.substr(equals + 1));
      continue;
    }
    factory.Set(name, StringValue(pair.substr(equals + 1)));
  }
  auto disc = factory.Create<QueueDisc>();
  if (auto fq = DynamicCast<FqCoDelQueueDisc>(disc)) {
    fq->SetQuantum(quantum);
  }
  disc->Initialize();
  Player player(disc);
  std::string what;
  int64_t time;
  while (std::cin >> what >> time) {
    if (what == "leave") {
      Simulator::Schedule(NanoSeconds(time), &Player::Leave, &player);
      continue;
    }
    uint32_t bytes;
    uint32_t queue;
    bool capable;
    int64_t stream;
    std::cin >> bytes >> queue >> capable >> stream;
    Simulator::Schedule(NanoSeconds(time), &Player::Arrive, &player, bytes, queue, capable, stream);
  }
  Simulator::Stop(NanoSeconds(time + 1));
  Simulator::Run();
  Simulator::Destroy();
  return 0;
}
