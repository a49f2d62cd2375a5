# SPDX-License-Identifier: GPL-2.0-only
"""A link of random_links.py as a gateway behind it has it."""

import re


def behind_it(text: str) -> str:
    """A link's scenario with its gateway behind the link, which it is told nothing about."""
    head, _, rest = text.partition("[gateway.left]")
    limit = re.search(r'^queue = "(.*)"$', head, re.MULTILINE)
    assert limit, "draw_link() gives the bottleneck a queue"
    nodes = 'nodes = { senders = "flows", far = 1, home = 1, lan = 1, receivers = "flows" }'
    ends = {
        "access": ("senders", "far"),
        "bottleneck": ("far", "home"),
        "egress": ("lan", "receivers"),
    }
    for name, (start, end) in ends.items():
        both = f'[link.{name}]\nfrom = "{start}"\nto = "{end}"\n'
        head = head.replace(f"[link.{name}]\n", both)
    mtu = re.findall(r'^mtu = ".*"$', head, re.MULTILINE)[0]
    lan = f'[link.lan]\nfrom = "home"\nto = "lan"\nrate = "10gbit"\ndelay = "0us"\n{mtu}\n'
    gateway = '[gateway.left]\nlink = "lan"\nrate = "auto"\nsource = "upstream"\n'
    after = rest[rest.index("[time]") :]
    return (
        head.replace('shape = "dumbbell"', nodes)
        + f'{lan}queue = "{limit[1]}"\n\n{gateway}\n[measure]\nlink = "bottleneck"\n\n{after}'
    )
