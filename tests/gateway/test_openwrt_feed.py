# SPDX-License-Identifier: GPL-2.0-only
"""OpenWrt's packages: what their Makefile downloads and installs, with stand-ins for its rules."""

import re
from pathlib import Path

from feeds import Feed


def test_the_packages_hold_what_they_should(feed: Feed, tmp_path: Path) -> None:
    feed.make("install-penstock-gw")
    root = tmp_path / "penstock-gw"
    files = {
        str(path.relative_to(root)): path.stat().st_mode & 0o777
        for path in root.rglob("*")
        if path.is_file()
    }
    assert files == {
        "usr/sbin/penstock-gw": 0o755,
        "etc/config/penstock": 0o600,
        "etc/init.d/penstock": 0o755,
        "etc/hotplug.d/iface/60-penstock": 0o644,
    }
    assert feed.make("conffiles-penstock-gw").split() == ["/etc/config/penstock"]
    feed.make("install-penstock-collectd")
    script = tmp_path / "penstock-collectd/usr/libexec/collectd/penstock.sh"
    assert script.stat().st_mode & 0o777 == 0o755


def test_each_download_has_a_hash(feed: Feed) -> None:
    rows = feed.make("downloads").split()
    assert len(rows) == 6
    for file, url, digest in zip(rows[0::3], rows[1::3], rows[2::3], strict=True):
        version = file.removesuffix(".tar.gz").rpartition("-")[2]
        assert url.startswith("https://")
        assert url.endswith(f"v{version}?")
        assert re.fullmatch("[0-9a-f]{64}", digest)
