# SPDX-License-Identifier: GPL-2.0-only
"""What the lab makes of other tables of counters, given as JSON: tests/repo/test_new_rows.py."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from penstock import _native

for table, rows in json.loads(Path(sys.argv[1]).read_text()).items():
    given = [SimpleNamespace(**row) for row in rows]
    setattr(_native, table, lambda given=given: given)

import gen_column_docs  # noqa: E402 - what was imported before would have the built tables

from penstock import columns  # noqa: E402
from penstock.results import flows, frames, metrics  # noqa: E402

ends = [*_native.sender_counters(), *_native.receiver_counters()]
tcp = {
    **{counter.name: np.array([2, 3]) for counter in ends},
    **{"start_ns": np.array([0, 0]), "done_ns": np.array([9, 9]), "size_bytes": np.array([1, 1])},
}
queue = {
    **{counter.name: 7.0 for counter in _native.queue_counters()},
    **{figure.name: 7.0 for figure in columns.QUEUE_FIGURES},
    **dict.fromkeys(("drops", "tcp_drops", "tcp_arrivals", "acks_rewritten", "acks_seen"), 7.0),
    "window_bytes_mean": 7.0,
}
values = {
    **metrics.sender_columns(tcp, []),
    **metrics.receiver_columns(tcp, [], 9),
    **metrics.queue_columns(queue),
}
row = flows.columns(SimpleNamespace(flows=tcp, end_ns=9), {"bulk": [0, 1]})
row_types = frames.flows([SimpleNamespace(columns={}, flows=row)]).schema
found = {
    "columns": {c.name: [c.unit, c.definition, c.point, c.better] for c in columns.COLUMNS},
    "values": values,
    "flows": row,
    "types": {name: str(each) for name, each in row_types.items()},
    "page": gen_column_docs.document(),
}
print(json.dumps(found))
