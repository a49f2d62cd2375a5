# SPDX-License-Identifier: GPL-2.0-only
"""OpenWrt's packages: what their Makefile downloads and installs, with stand-ins for its rules."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from gateway_lab import OPENWRT

# As OpenWrt's include/ has them, as far as the Makefile needs them without a build.
RULES = """
INSTALL_DIR:=mkdir -p
INSTALL_BIN:=install -m0755
INSTALL_CONF:=install -m0600
INSTALL_DATA:=install -m0644
INCLUDE_DIR:=$(TOPDIR)
"""
PACKAGE = """
define Download
  $(eval $(call Download/$(1)))
  all-downloads += $(FILE) $(URL) $(HASH)
endef
define BuildPackage
install-$(1):
	$$(call Package/$(1)/install,$(TOPDIR)/$(1))
conffiles-$(1):
	@printf '%s\\n' $$(Package/$(1)/conffiles)
downloads:
	@printf '%s\\n' $$(all-downloads)
endef
"""


@pytest.fixture
def feed(tmp_path: Path) -> Callable[[str], str]:
    """Runs make on a target of the package's Makefile, with stand-ins for OpenWrt's rules."""
    (tmp_path / "rules.mk").write_text(RULES)
    (tmp_path / "package.mk").write_text(PACKAGE)
    for name in ("cmake.mk", "bpf.mk"):
        (tmp_path / name).write_text("")
    built = tmp_path / "built" / "gateway"
    built.mkdir(parents=True)
    (built / "penstock-gw").write_text("")

    def run(target: str) -> str:
        set_here = [f"TOPDIR={tmp_path}", f"PKG_BUILD_DIR={tmp_path / 'built'}"]
        command = ["make", "-s", "-C", str(OPENWRT.parent), target, *set_here]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    return run


def test_the_packages_hold_what_they_should(feed: Callable[[str], str], tmp_path: Path) -> None:
    feed("install-penstock-gw")
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
    assert feed("conffiles-penstock-gw").split() == ["/etc/config/penstock"]
    feed("install-penstock-collectd")
    script = tmp_path / "penstock-collectd/usr/libexec/collectd/penstock.sh"
    assert script.stat().st_mode & 0o777 == 0o755


def test_each_download_has_a_hash(feed: Callable[[str], str]) -> None:
    rows = feed("downloads").split()
    assert len(rows) == 6
    for file, url, digest in zip(rows[0::3], rows[1::3], rows[2::3], strict=True):
        version = file.removesuffix(".tar.gz").rpartition("-")[2]
        assert url.startswith("https://")
        assert url.endswith(f"v{version}?")
        assert re.fullmatch("[0-9a-f]{64}", digest)
