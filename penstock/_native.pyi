# SPDX-License-Identifier: GPL-2.0-only
"""The compiled part of Penstock: the methods of core/ and the packet simulator.

All quantities are integers in the unit that their name ends in. A wrong value
raises ValueError with a message for the user; a broken invariant RuntimeError.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penstock._native_control import Control as Control
from penstock._native_control import Host as Host
from penstock._native_control import HostInfo as HostInfo
from penstock._native_control import HostSegment as HostSegment
from penstock._native_control import SenderControl as SenderControl
from penstock._native_control import Window as Window

SOURCES: str  # a digest of the sources that this was compiled from

class Param:
    """One row of a method's parameter table (core/base.h)."""

    name: str  # struct field, for instance "start_bytes" or "weight_q32"
    unit: str  # bytes, pkts, ns, bps, count, flag, ratio_q16, ratio_q32
    default: int  # the value if buffer_den is 0
    buffer_num: int  # else the default is buffer_bytes * buffer_num // buffer_den
    buffer_den: int
    min: int
    max: int
    help: str
    source: str

    def renamed(self, name: str) -> Param:
        """A copy with another name."""

class State:
    """One row of a method's state table."""

    name: str
    unit: str
    help: str

class Method:
    """A queue discipline, a window law or a sender's congestion control."""

    name: str
    title: str
    source: str
    formula: str  # of the window; "" for senders
    rewrites: bool  # decides windows at all
    paces: bool  # delays ACKs where there are more flows than segments
    schedules: bool  # has several queues
    labels: bool  # writes labels into the TOS octet
    header: bool  # reads or writes a header between routers and end hosts
    rate: bool  # of a sender: sends at a rate that it measures, and sets its window by it
    exact_ecn: bool  # of a sender: needs ECN, and a receiver that echoes each mark
    params: list[Param]
    states: list[State]

class Variant:
    """What users name with -m (core/gateway/variants.h)."""

    name: str
    discipline: str
    law: str
    signal: str
    sender: str  # "" for the scenario's own
    sharing: str  # likewise
    ecn: bool
    label: str
    colour: str  # "" for the next of a cycle

class Counter:
    """One row of a table of counters (core/tables/counters.h)."""

    name: str
    unit: str
    column: bool  # of each run and of each flow
    better: str  # low or high, where one is better
    help: str
    source: str

class Figure:
    """One row of a table of figures, which are no counts (likewise)."""

    name: str
    column: str  # the name of the column, which is `factor` times as large
    unit: str
    factor: float
    better: str
    help: str

class Option:
    """One row of a table of keys (core/tables/keys.h)."""

    sender: bool  # of TCP options: whether SenderConfig has the field
    receiver: bool  # whether ReceiverConfig has it
    name: str  # of the field
    unit: str  # flag, count, bytes, ns, bps, ratio, percent, span, or words by "|"
    initial: int
    ns3: bool  # whether ns-3 is told
    ns3_lacks: str  # why not, for those who ask for another value there
    sysctl: str  # of net.ipv4, by which a live host is told; else ""
    route: str  # option of the route, likewise
    none: str  # what saying nothing is called, if it is no value
    key: str  # of the scenario's table; "" if it is derived
    low: int  # of the key
    high: int
    help: str
    source: str
    kinds: str  # of users that have it, by blanks

class TrafficKey:
    """One row of the tables of traffic and of mobility (core/tables/traffic_keys.h)."""

    drawn: bool  # from a distribution, for each use
    name: str  # of the source's field
    unit: str  # ns, bytes or count
    initial: str  # as a scenario writes it; "" if saying nothing is no value; or "required"
    key: str  # in [tcp.NAME.traffic] or [mobility]
    help: str

def sender_counters() -> list[Counter]: ...
def receiver_counters() -> list[Counter]: ...
def queue_counters() -> list[Counter]: ...
def queue_figures() -> list[Figure]: ...
def link_figures() -> list[Figure]: ...
def tcp_options() -> list[Option]: ...
def freeze_options() -> list[Option]: ...  # those of [mobility]
def link_keys() -> list[Option]: ...
def udp_keys() -> list[Option]: ...
def time_keys() -> list[Option]: ...
def sample_keys() -> list[Option]: ...
def user_keys() -> list[Option]: ...  # of [tcp.NAME.traffic], of several kinds
def mobility_keys() -> list[TrafficKey]: ...
def web_keys() -> list[TrafficKey]: ...
def on_off_keys() -> list[TrafficKey]: ...
def disciplines() -> list[Method]: ...  # the queue disciplines, in the registry's order
def laws() -> list[Method]: ...  # the window laws, likewise
def variants() -> list[Variant]:
    """The built-in variants, in their table's order."""

def senders() -> list[Method]: ...  # their congestion controls
def sharings() -> list[Method]: ...  # what connections of one host may share

# Name and meaning of each value, in the order of its enum.
def limits() -> list[tuple[str, str]]: ...  # pst_limit: rules of the window
def signals() -> list[tuple[str, str]]: ...  # pst_signal
def modes() -> list[tuple[str, str]]: ...  # pst_mode
def share_bys() -> list[tuple[str, str]]: ...  # those of pst_share_by that the simulator knows
def beyonds() -> list[tuple[str, str]]: ...  # pst_beyond
def queue_limit_bytes(queue_bytes: int, queue_packets: int, mtu_bytes: int) -> int:
    """The limit in bytes of a queue limited in bytes, packets or both; 0: unlimited."""

class Distribution:
    """A distribution of sizes, numbers or pauses (sim/traffic/distribution.h)."""

    @staticmethod
    def constant(value: float) -> Distribution: ...
    @staticmethod
    def uniform(low: float, high: float) -> Distribution: ...
    @staticmethod
    def exponential(mean: float) -> Distribution: ...
    @staticmethod
    def lognormal(mean: float, deviation: float) -> Distribution:
        """Mean and standard deviation of the values, not of their logarithms."""
    @staticmethod
    def gamma(mean: float, deviation: float) -> Distribution: ...
    @staticmethod
    def pareto(shape: float, scale: float, limit: float = ...) -> Distribution:
        """The least value is `scale`; values above `limit` become it."""
    @staticmethod
    def weibull(shape: float, scale: float) -> Distribution: ...
    def draw(self, seed: int, user: int, count: int) -> list[float]:
        """What `user` draws first in each of its turns 0 .. count - 1."""

class Source:
    """What each user of a traffic group sends, and when (sim/traffic/source.h).

    Fields are those of user_keys(), of which none is needed, and of the kind's own keys.
    """

    @staticmethod
    def web(**fields: Distribution | int) -> Source:
        """A page is a transfer of `objects` times `object_bytes`; the next one begins
        a reading time after it has arrived, or with the next session. Own: web_keys()."""
    @staticmethod
    def on_off(**fields: Distribution | int) -> Source:
        """The application writes at each interval while it is on; a write is a transfer.
        Own: on_off_keys()."""
    @staticmethod
    def trace(entries: Sequence[tuple[int, int]], **fields: int) -> Source:
        """Times in ns after the user's start, in their order, and sizes in bytes."""

def philox(counter: Sequence[int], key: Sequence[int]) -> list[int]:
    """The block of Philox 4x64-10 for a counter of four words and a key of two."""

def natural_log(x: float) -> float:
    """The same bits on any machine, as the next two; for tests."""

def exponential(x: float) -> float: ...
def normal_quantile(share: float) -> float: ...
def rpm(trip_ms: float, wait_percentiles_ms: Sequence[float]) -> float:
    """Responsiveness (core/outcome.h) of a path; percentiles 0 to 100."""

def qoo_percent(trip_ms: float, wait_percentiles_ms: Sequence[float], loss_percent: float) -> float:
    """Quality of outcome of the usual application."""

def need_met(best: float, useless: float, measured: float) -> float:
    """From 1, at the best, to 0."""

class Network:
    """A topology, its gateways and its traffic; run() plays it once.

    Streams of random numbers come from `seed`, one per purpose, so that a change
    of method leaves start times and losses as they were.
    """

    def __init__(self, seed: int) -> None: ...
    def node(self, name: str) -> int: ...
    def link(
        self,
        src: int,
        dst: int,
        *,
        drop_data_packets: Sequence[int] = (),
        changes: Sequence[tuple[int, int | None, int | None, float | None]] = (),
        trace_ms: Sequence[int] = (),
        **fields: float,
    ) -> int:
        """One direction of a link, with its fields as link_keys() names them; rate_bps is needed.
        Queue limits 0: unlimited. `drop_data_packets` numbers, from 0, the data packets that this
        link loses, for scripted tests. `changes` are (at_ns, rate_bps, delay_ns, loss_ratio), None
        for what stays. `trace_ms` are opportunities to send 1,500 bytes, in place of the rate,
        repeated at their end."""
    def gateway(
        self,
        link: int,
        *,
        discipline: str,
        law: str,
        signal: str,
        mode: str,
        share_by: str = "flow",
        beyond: str = "none",
        rate: str = "link",
        params: dict[str, int] = {},
    ) -> None:
        """Puts a discipline and a law on the queue of `link` (which needs queue_bytes); ACKs are
        rewritten where they arrive from the other end of the link. `share_by` is "flow", or
        "host" or "mark": the connections of a host, or with a mark, count as one. `beyond`
        is "none", or "pace-acks": where flows are too many for windows, ACKs wait. `rate` is
        "link", or "auto": measured from what leaves the queue, or "passive": measured from
        ACKs, as the queue, which is then further down."""
    def csma_cd(self, links: Sequence[int]) -> None:
        """Puts links of one rate and delay on one medium with CSMA/CD; a node has one queue for its
        links there, that of the first."""
    def tcp(
        self,
        src: int,
        dst: int,
        *,
        start_ns: int,
        size_bytes: int,
        sender: Mapping[str, float | str | dict[str, int]],
        receiver: Mapping[str, float | str | dict[str, int]],
        controlled: bool = True,
        mark: int = 0,
    ) -> int:
        """A connection that carries `size_bytes` from src to dst. The dictionaries hold fields of
        SenderConfig and ReceiverConfig (sim/tcp/config.h); method is a name, recovery_timer
        standard or impatient, params a dictionary of internal integers."""
    def udp(self, src: int, dst: int, *, start_ns: int, **fields: int) -> int:
        """Constant bit rate; the fields are those of core/tables/udp_keys.h."""
    def traffic(
        self,
        name: str,
        *,
        ends: Sequence[tuple[int, int]],
        starts_ns: Sequence[int],
        source: Source,
        sender: Mapping[str, float | str | dict[str, int]],
        receiver: Mapping[str, float | str | dict[str, int]],
        mark: int = 0,
    ) -> int:
        """A group of users, one for each of `starts_ns`, that take `ends` (src, dst) in turn."""
    def mobility(self, cells: Sequence[int], **fields: Distribution | int) -> None:
        """Fields: mobility_keys(), which must all be given."""
    def sample(self, links: Sequence[int], flows: Sequence[int], **fields: int) -> None:
        """Fields: sample_keys()."""
    def delay_groups(
        self, links: Sequence[int], of_flow: Sequence[int], of_traffic: Sequence[int]
    ) -> None:
        """Tells delays at the queues of these links apart by group; after all traffic: the number
        of the group of each flow, and of each group of users."""
    def pcap(self, link: int, path: str) -> None:
        """Captures what leaves on `link`."""
    def run(self, until_ns: int = ..., **fields: int) -> Result:
        """Plays until all TCP flows are done, and all users whose source ends, or `until_ns`. What
        is counted begins with `warm_up_ns`; ValueError if the run ends before. Fields:
        time_keys(). Releases the GIL."""

class Result:
    end_ns: int
    events: int
    all_done: bool
    flows: dict[str, NDArray[np.int64]]
    """One entry per flow, in the order of tcp() and udp() calls together: is_udp, start_ns, done_ns
    (-1 if not; last payload byte at the receiver), size_bytes, the counters of its sender and of
    its receiver, and packets_dropped_queue, packets_dropped_random, packets_in_flight."""
    groups: list[dict[str, Any]]
    """One entry per traffic group: name, users, unfinished (users who have not reached the end of
    their source), slots (connections that existed at a time, at most), connections, transfers
    (begun), transfer_bytes, and sums over connections of counters in `flows`. completions: for
    transfers of up to 10 kB, 100 kB, 1 MB and above, count and sum_ns of the times from beginning
    to arrival, and counts of values_ns (exact to 0.4 %). completed_segments: of the transfers that
    are done; segment_rates_per_s: the sum over them of their segments over their time. company:
    sums over connections beside others between the same hosts (sim/net/result.h)."""
    def queue(self, link: int) -> dict[str, float]:
        """Counted at the queue of `link`, over the time from the first packet's arrival to end_ns:
        the counters and figures of a queue and its link, drops, tcp_arrivals, tcp_drops,
        delay_ns_max, low_delay_ns_mean and low_delay_ns_p99 (of the low-latency queue, where there
        is one), acks_seen, acks_rewritten, acks_by_<limit> for each name of limits(),
        window_bytes_mean (as sent on)."""
    def delay_quantiles_ns(self, link: int) -> list[float]:
        """Of the delay in the queue of `link`, at equal steps of the share of packets: 0 to 1."""
    def group_delays(self, link: int) -> list[dict[str, Any]]:
        """The same of each group that Network.delay_groups() names: packets, mean_ns, p99_ns,
        sd_ns, max_ns, quantiles_ns."""
    series: dict[str, NDArray[np.int64]]
    """time_ns; queue_bytes (links x times), window_bytes (links x times: last window granted by
    that link's gateway); cwnd_bytes and send_window_bytes (flows x times)."""

LINK_LOOKS: tuple[str, ...]
"""What Links.step() writes of a run, from its start: now_ns; goes_on (0 once the traffic has
ended); queue_bytes that wait; arrivals and drops, packets; sent_bytes by the queue; received_bytes,
payload that arrived for the first time, of all TCP."""
FLOW_LOOKS: tuple[str, ...]
"""And of each flow: received_bytes, srtt_ns, cwnd_bytes, send_window_bytes."""

class Links:
    """Runs side by side, in steps, each of a network and looked at at a link with a queue."""

    looks: int
    """Numbers that step() writes of a run: those of the link, and of each of the `flows`."""
    def __init__(self, count: int, flows: int, threads: int = 1) -> None:
        """`flows`: of each network's TCP flows (without users and QUIC), the first so many."""
    def put(self, index: int, network: Network, link: int) -> None:
        """Begins run `index`, or begins it again."""
    def step(
        self,
        interval_ns: int,
        *,
        factors: NDArray[np.float64] | None = None,
        cwnds: NDArray[np.float64] | None = None,
        out: NDArray[np.float64],
    ) -> None:
        """Plays each run for an interval, and writes a row for it into `out` (runs x looks).
        Before, sets the factor of each run's gateway, whose law must be `integral`, and the
        congestion windows in bytes (runs x flows) of connections that are established; NaN leaves
        one as it is. Releases the GIL."""
