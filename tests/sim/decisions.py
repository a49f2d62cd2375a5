# SPDX-License-Identifier: GPL-2.0-only
"""Prints one decision of each gateway method: decisions.py FILE, the simulator."""

import json
import sys

from with_native import load

if __name__ == "__main__":
    load(sys.argv[1])
    from penstock.api.questions.explain import Question, explain
    from penstock.scenario import params

    for method in params.methods():
        print(json.dumps(explain(Question(method, queue_bytes=50_000, window_bytes=60_000))))
