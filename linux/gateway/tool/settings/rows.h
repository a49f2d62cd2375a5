/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The settings of an attachment, one row per setting. The rows expand into struct Settings, the
 * options of `attach` and `set`, the keys of TOML and JSON, words, ranges, and what `set` refuses.
 * tools/gen_gateway_settings.py writes the manual page's part, docs/operator/settings.md, the
 * commented files of Debian and OpenWrt, its init script, LuCI's form and the completion of them.
 * plan_of() says what a setting does, and settings_of() what is in force.
 *
 *   S(form, name, key, option, type, values, least, most, initial, change, example, help, manual)
 *     form     TEXT, FLAG, or LIST of texts
 *     name     the field
 *     key      of TOML, JSON and UCI
 *     option   as CLI11 takes it; `!` marks the one that ends a flag
 *     type     RATE in bit/s, SIZE in bytes, TIME in ns, COUNT; WORD, one of `values`; WORDS, which
 *              has a parser of its own; DEVICE; SWITCH
 *     values   the words, by `|`, and placeholders in capitals
 *     least, most  of a quantity, in its unit
 *     initial  what holds if nothing is given; "" if it depends on others, or is nothing
 *     change   LIVE; FIXED while attached; ATTACH: fixed, and no option of `set`
 *     example  a value; of a list several, by ", "
 *     help     one line, of the command line and the commented files
 *     manual   of the manual page and docs: `literal`; range, a default that is not named, and
 *              whether it is fixed are added
 */
#ifndef PENSTOCK_LINUX_GATEWAY_TOOL_SETTING_ROWS_H
#define PENSTOCK_LINUX_GATEWAY_TOOL_SETTING_ROWS_H

#define GW_UNBOUNDED 0xffffffffffffffff

// clang-format off
#define GW_SETTING_ROWS(S) \
  S(TEXT, rate, "rate", "--rate", RATE, "RATE|auto", 8000, 100000000000, "", LIVE, \
    "20mbit", \
    "bottleneck rate, such as 20mbit; auto: measured (with --queue existing)", \
    "Rate of the bottleneck, slightly below that of the line. Required by attach, but with " \
    "`--down`, where it is `auto`. " \
    "With `auto` it is measured from departures while packets are queued, without " \
    "probe traffic, and status shows it. That needs `--queue existing`, the backlog " \
    "of the kernel's queue, no `--class`, and `--buffer` as that queue's own limit; " \
    "or `--source passive`, or `--down`.") \
  S(TEXT, overhead, "overhead", "--overhead", WORDS, "WORDS", 0, 0, "", LIVE, \
    "pppoe-ptm", \
    "of the rate, in tc-cake(8)'s words: pppoe-ptm, docsis, '44 mpu 64 atm'", \
    "Overhead of the line per packet, with the keywords of `tc-cake`(8): " \
    "conservative, ipoa-vcmux, ipoa-llcsnap, bridged-vcmux, bridged-llcsnap, " \
    "pppoa-vcmux, pppoa-llc, pppoe-vcmux, pppoe-llcsnap, pppoe-ptm, bridged-ptm, " \
    "docsis, ethernet, ether-vlan, a number of bytes, mpu with a number, atm, ptm, " \
    "noatm. The rate is then that of the line.") \
  S(TEXT, buffer, "buffer", "--buffer", SIZE, "SIZE", 1514, 4000000000, "", LIVE, \
    "97kB", \
    "queue limit in bytes, such as 97kB; default 50 ms at the rate, 20 ms over CAKE " \
    "and the like", \
    "Limit of the queue. Default: 50 ms at the rate, at least 68 kB, as a queue takes a " \
    "GSO packet whole or not; 20 ms, at least 7.6 kB, with `--queue existing` over CAKE, fq_codel, CoDel or PIE; 200 kB where the " \
    "queue is another machine's. Required with `--rate auto --queue existing`.") \
  S(TEXT, target, "target", "--target", WORDS, "TIME|SIZE", 0, 0, "", LIVE, \
    "5ms", \
    "queue that the method aims at, as a time at the rate or in bytes: 5ms, 12500B; " \
    "default 5ms with penstock", \
    "Queue that the method aims at: the time in which it leaves at the rate, such as " \
    "5ms, or bytes. A time follows later changes of the rate; with `--rate auto`, " \
    "methods that have the parameter target_ns follow the rate that is measured, and " \
    "the others take only bytes. For the methods that have the parameter " \
    "target_bytes, which is the same in bytes. Default with penstock: 5ms, but no " \
    "more than three tenths of the buffer, and no less than four segments and 5/2 " \
    "sqrt(N) for N flows.") \
  S(TEXT, method, "method", "-m,--method", WORDS, "NAME", 0, 0, "penstock", LIVE, \
    "penstock", \
    "method; see `penstock-gw methods`", \
    "Method; default penstock.") \
  S(TEXT, mode, "mode", "--mode", WORD, "safe|strict|literal", 0, 0, "safe", LIVE, \
    "safe", \
    "safe (default), strict or literal", \
    "How the right edge of a window may move. Default: safe.") \
  S(FLAG, observe, "observe", "--observe,!--live", SWITCH, "", 0, 0, "", LIVE, \
    "true", \
    "compute and count, change no packet (--live ends it)", \
    "Compute and count without changing a packet, or stop observing.") \
  S(FLAG, police, "police", "--police,!--no-police", SWITCH, "", 0, 0, "", LIVE, \
    "true", \
    "drop some of the data that ignores its window", \
    "Drop one in eight segments that lie beyond every window that was granted. " \
    "Default: count them.") \
  S(TEXT, fair, "fair", "--fair", WORD, "auto|on|off", 0, 0, "auto", LIVE, \
    "on", \
    "hold what no window controls to its fair share, by drops and marks: on (default " \
    "with a law), or off", \
    "Hold traffic that no window controls to its fair share of the link: UDP and " \
    "QUIC, tunnels, exempt TCP, and TCP that sends beyond its windows. Packets above " \
    "it are marked with CE, or dropped if they are not ECN-capable. Controlled TCP and " \
    "ARP are spared, and ACKs, handshakes and ICMP up to a sixteenth of the link. " \
    "Default: `auto`, on below a law. With `off` the programs drop and mark no packet.") \
  S(LIST, spare, "spare", "--spare", WORDS, "PART|RULE", 0, 0, "", LIVE, \
    "50%, udp port 5004, dscp=ef,af41,cs5", \
    "part of the link for flows that keep their rate (default 50%), or a rule of what fair " \
    "leaves alone: 'udp port 5004', dscp=ef; may be repeated; none: no more rules", \
    "What `fair` does not hold to a share. A part: flows that keep their rate, as calls and " \
    "television do, as long as all of them have no more than this part of the link; with `0` they " \
    "are held as the others. Default: 50%. A rule: what it names is never marked or dropped by " \
    "`fair`. May be repeated, for up to 8 rules. A rule is one or more of: a protocol (udp, tcp, " \
    "udplite, sctp, dccp, gre, esp, ipip, ipv6, \"protocol N\"), ADDRESS or ADDRESS/BITS, \"port N\" (of " \
    "the same end), \"mark N\" or \"mark N/BITS\" (of the packet, in Linux), " \
    "dscp=NAMES (ef, va, af11 .. af43, cs0 .. cs7, le, nqb, or numbers, by commas). " \
    "\"up to 30%\" bounds what the rule spares; more is held as without it. A DSCP from the " \
    "provider's side counts only with dscp=NAMES,trust. `none` removes all rules. With set, a part " \
    "replaces the part, and rules replace all rules.") \
  S(TEXT, discipline, "discipline", "--discipline", WORDS, "NAME", 0, 0, "", LIVE, \
    "red", \
    "drop or mark packets of all flows by red, ared, blue, pie, csfq, ...; without " \
    "--method alone, else below its law", \
    "Drop or mark packets of all flows as they arrive, by red, ared, blue, pie, csfq, " \
    "red_band or fair. Without `--method` there is no law above it. Takes the place " \
    "of `--fair on`.") \
  S(TEXT, signal, "signal", "--signal", WORD, "drop|ecn|window", 0, 0, "", LIVE, \
    "drop", \
    "effect of a discipline's early events: drop, ecn, or window", \
    "Effect of the early events of a discipline: a drop, a mark if the packet is " \
    "ECN-capable, or an ACK that grants one segment. Default: that of the method, " \
    "else drop.") \
  S(TEXT, queue, "queue", "--queue", WORD, "install|existing", 0, 0, "install", FIXED, \
    "install", \
    "install: HTB and a FIFO at the rate (default); existing: leave the qdisc", \
    "Install HTB and a FIFO at the rate (default), or use the root qdisc as it is.") \
  S(TEXT, traffic_class, "class", "--class", WORDS, "MAJOR:MINOR", 0, 0, "", LIVE, \
    "1:10", \
    "class of the existing queue whose backlog is read, such as 1:10", \
    "Leaf class of an existing queue whose backlog is read, such as 1:10. Required if " \
    "the root is classful.") \
  S(TEXT, source, "source", "--source", WORD, "auto|kernel|virtual|passive|upstream", 0, 0, "auto", LIVE, \
    "auto", \
    "queue state: auto (default), kernel, virtual; with --rate auto also passive: of a " \
    "bottleneck further down, or upstream: of one before the device, with --down", \
    "Read the qdisc's backlog, or model a queue that drains at the rate; or, with " \
    "`--rate auto`, measure rate and queue of a bottleneck further down, such as a " \
    "modem, from the ACKs that come back (`passive`), or of one before the device, such as " \
    "the provider's, from the timestamps of data (`upstream`, with `--down`). While these " \
    "are not known, all packets pass unchanged. Default: the kernel's where it has BTF; with " \
    "`--down` upstream, or virtual if a rate is given.") \
  S(TEXT, scalable, "scalable", "--scalable", WORD, "auto|bypass|control", 0, 0, "auto", LIVE, \
    "auto", \
    "L4S flows: auto (default: bypass if the queue marks), bypass, or control", \
    "L4S flows. Default: bypassed if the queue may mark them.") \
  S(TEXT, scone, "scone", "--scone", WORD, "off|on", 0, 0, "off", LIVE, \
    "on", \
    "write the long-term share of a flow as advice into QUIC's SCONE packets: on, or " \
    "off (default)", \
    "Write the fair share of a flow, as the mean of the last 67 s, into the SCONE " \
    "packets of QUIC (draft-ietf-scone-protocol) that leave through the device. A " \
    "signal is only ever lowered, a few times in 67 s per flow, and no packet is " \
    "added. This is advice for applications, no congestion feedback. Default: off.") \
  S(TEXT, share_by, "share_by", "--share-by", WORD, "flow|host|prefix:N|mark", 0, 0, "flow", LIVE, \
    "flow", \
    "what gets equal parts: flow (default), host, prefix:N, or mark", \
    "What gets equal parts of the link: each flow (default), all flows of the host " \
    "that opened them, of the first N bits of its address, or whose data carries the " \
    "same packet mark. For methods that divide the link, such as penstock.") \
  S(TEXT, beyond, "beyond", "--beyond", WORD, "none|pace-acks", 0, 0, "none", LIVE, \
    "none", \
    "with more flows than there is room for: none (default), or pace-acks: fq on the " \
    "device of --acks delays ACKs", \
    "What is done with more flows than path and queue hold segments. Default: none, " \
    "the queue overflows. With `pace-acks` each ACK leaves when there is room for the " \
    "data that it releases, at most 50 ms later than the flow's previous ACK, and a " \
    "SYN-ACK up to 10 s later. The root qdisc of the device of `--acks`, which must " \
    "be `tc-fq`(8), holds the ACKs: it is not installed by this program. This costs " \
    "round-trip time: with N flows, every round trip, also of interactive " \
    "connections, grows to the time of N segments at the rate. Data in the packet of " \
    "a delayed ACK waits with it. For the method penstock.") \
  S(LIST, exempt, "exempt", "--exempt", WORDS, "RULE", 0, 0, "", LIVE, \
    "192.0.2.0/24, port 22, 2001:db8::1 port 443", \
    "leave flows alone: PREFIX, 'port N' or 'PREFIX port N'; may be repeated; none: " \
    "no more", \
    "Exempt flows: PREFIX, \"port N\" or \"PREFIX port N\". May be repeated; `none` " \
    "removes all rules.") \
  S(TEXT, hook, "hook", "--hook", WORD, "clsact|tcx", 0, 0, "clsact", FIXED, \
    "clsact", \
    "clsact (default) or tcx", \
    "Where the programs are attached; tcx needs Linux 6.6.") \
  S(TEXT, acks, "acks", "--acks", DEVICE, "DEVICE", 0, 0, "", ATTACH, \
    "lan0", \
    "device by which the ACKs leave, where DEVICE is the ifb behind it", \
    "The ACKs leave through this device; for an ifb, the device whose incoming " \
    "packets it shapes, and for `--beyond pace-acks`, the one with fq. Of attach " \
    "alone.") \
  S(TEXT, flows, "flows", "--flows", COUNT, "N", 256, 4194304, "65536", FIXED, \
    "4096", \
    "that the table holds; default 65536", \
    "Size of the flow table.") \
  S(TEXT, shapes, "shapes", "--shapes", COUNT, "N", 0, 1048576, "", FIXED, \
    "10000", \
    "subscribers' queues that there is room for, see shape; default none", \
    "Room for so many shapes. Default: none.") \
  S(TEXT, idle, "idle", "--idle", TIME, "TIME", 60000000000, GW_UNBOUNDED, "7440s", LIVE, \
    "7440s", \
    "time after which a quiet flow is forgotten; default 7440s", \
    "Time after which an idle flow is removed.")
// clang-format on

#endif
