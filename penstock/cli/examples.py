# SPDX-License-Identifier: GPL-2.0-only
"""Examples, which the help of each command ends with."""

from typing import Any, Final

EXAMPLES: Final[dict[str, tuple[str, ...]]] = {
    "": (
        "new-link --rate 20mbit --rtt 40ms --buffer 97kB home.toml",
        "run home.toml -m droptail,fq_codel,penstock -o home",
        "report home",
    ),
    "demo": ("demo --seeds 3",),
    "list": ("list", "list web"),
    "methods": ("methods", "methods penstock"),
    "doctor": ("doctor",),
    "new-link": (
        "new-link --rate 20mbit --rtt 40ms --buffer 97kB home.toml",
        "new-link --down 100mbit --up 20mbit --flows 8 home.toml",
        "new-link --hosts 2004 home.toml",
    ),
    "run": (
        "run link -m droptail,penstock --seeds 3",
        "run link -n 4,8 --set link.bottleneck.rtt=150ms",
        "run link --sweep link.bottleneck.queue=60kB,120kB -o queues",
        "run link --plan",
    ),
    "capacity": ("capacity ewt-2019/scenario-1 -m droptail,penstock --levels 0.1 --seeds 2",),
    "warm-up": (
        "warm-up link -m droptail,penstock --seeds 5",
        "warm-up live/grid -m penstock -n 8 --receivers auto -j",
    ),
    "recommend": ("recommend link --dev wan0", "recommend link -m ewt,penstock --seeds 3"),
    "judge": (
        "judge ewt --against droptail,penstock --links 8 --only-links",
        "judge penstock --set target=2ms --seed 7",
        "judge bbr",
    ),
    "explain": (
        "explain ewt --queue 50000 --window 60000",
        "explain penstock --queue 20000 --set rate=20mbit --set rtt=40ms --all",
    ),
    "table": (
        "table home",
        "table home -m ewt,penstock --where flows=12 --format latex",
        "table home --against droptail",
    ),
    "plot": (
        "plot home bars --y transfer_s_max --width 3.4in -o slowest.pdf",
        "plot home line --x flows --y goodput_mbps_total --log-x",
        "plot home delay -m droptail,penstock",
    ),
    "report": ("report home", "report before after"),
    "open": ("open wan0.jsonl",),
    "from-recording": ("from-recording wan0.jsonl wan0.toml",),
    "show": ("show link", "show link --set link.bottleneck.rate=20mbit"),
    "validate": ("validate home.toml",),
    "schema": ("schema",),
    "trace": ("trace lte --rate 12mbit -o lte.trace",),
    "reproduce": ("reproduce ewt-2019 --quick", "reproduce all --stated"),
    "fit": ("fit ewt-2019 --most 1",),
    "model": ("model pftk --loss 0.001,0.01 --rtt 50ms",),
    "model zhang": ("model zhang --samples 200 --g 0.01,0.1",),
    "model aggressiveness": ("model aggressiveness --members 1-8",),
    "model sqrt-p": ("model sqrt-p --loss 0.001,0.01 --rtt 50ms",),
    "model pftk": ("model pftk --loss 0.001,0.01 --rtt 50ms",),
    "agree": ("agree ewt-2019/scenario-1 --quick",),
    "packetdrill": ("packetdrill tests/tcp --ip-version ipv4", "packetdrill --features"),
    "live": ("live real --list", "live compare live-results simulated-results"),
    "live real": ("live real --list", "live real downloads -m droptail,penstock"),
    "live clean": ("live clean",),
    "live compare": ("live compare live-results simulated-results",),
    "cluster": ("cluster --host 0.0.0.0",),
    "cite": ("cite", "cite ewt-2019"),
}


def epilog(name: str) -> str:
    r"""The end of a command's help; `\b` keeps lines as they are."""
    lines = "\n".join(f"penstock {text}" for text in EXAMPLES[name])
    return f"\b\nExamples:\n{lines}"


def add(command: Any, name: str) -> Any:
    """The command, with its examples."""
    command.epilog = epilog(name)
    return command
