# SPDX-License-Identifier: GPL-2.0-only
"""Makefiles of OpenWrt's feed, with stand-ins for its rules."""

import subprocess
from pathlib import Path

from gateway_lab import OPENWRT

# As OpenWrt's include/ has them, as far as the Makefile needs them without a build.
RULES = """
INSTALL_DIR:=mkdir -p
INSTALL_BIN:=install -m0755
INSTALL_CONF:=install -m0600
INSTALL_DATA:=install -m0644
CP:=cp -a
INCLUDE_DIR:=$(TOPDIR)
"""
PACKAGE = """
define Download
  $(eval $(call Download/$(1)))
  all-downloads += $(FILE) $(URL) $(HASH)
endef
define BuildPackage
prepare:
	$$(call Build/Prepare)
install-$(1):
	$$(call Package/$(1)/install,$(TOPDIR)/$(1))
conffiles-$(1):
	@printf '%s\\n' $$(Package/$(1)/conffiles)
downloads:
	@printf '%s\\n' $$(all-downloads)
endef
"""


class Feed:
    """Runs make on targets of a package's Makefile; packages are installed into `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "rules.mk").write_text(RULES)
        (folder / "package.mk").write_text(PACKAGE)
        for name in ("cmake.mk", "bpf.mk"):
            (folder / name).write_text("")
        built = folder / "built" / "linux" / "gateway"
        built.mkdir(parents=True)
        (built / "penstock-gw").write_text("")

    def make(self, *targets: str, package: str = "penstock-gw") -> str:
        """What make prints."""
        settings = [f"TOPDIR={self.folder}", f"PKG_BUILD_DIR={self.folder / 'built'}"]
        command = ["make", "-s", "-C", str(OPENWRT.parents[1] / package), *targets, *settings]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
