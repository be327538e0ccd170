# What a release consists of (docs/release.md). All of it is made from the commit that is checked
# out, in folders of its own: the top of the checkout stays as it is.

TARBALL := $(BUILD)/sampler-$(VERSION).tar.gz
DEB := $(BUILD)/deb
RELEASE := $(BUILD)/release
RELEASE_SOURCE := $(BUILD)/release-source

# git archive gives each file the time of the commit, so that a commit always makes the same bytes.
tarball: ## the source as build/sampler-VERSION.tar.gz
	@mkdir -p $(BUILD)
	@git diff --quiet HEAD || echo "tarball: changes that are not committed are left out"
	$(Q)git -c tar.umask=0022 archive --format=tar --prefix=sampler-$(VERSION)/ -o $(TARBALL:.gz=) HEAD
	$(Q)gzip -9nf $(TARBALL:.gz=)

# Said in words: of what is missing debhelper's own message says no more than the name.
deb-needs:
	@lacks=$$(dpkg-checkbuilddeps tools/packaging/debian/control 2>&1) || \
		{ echo "make deb: $${lacks##*error: }: tools/packages release installs that" >&2; exit 1; }

# dpkg-buildpackage needs debian/ at the top of the source. Variables given to this make are not
# meant for the package's.
deb: deb-needs tarball ## Debian packages, as build/*.deb (after tools/packages release)
	$(Q)rm -rf $(DEB) $(BUILD)/*.deb
	$(Q)mkdir -p $(DEB)
	$(Q)tar xf $(TARBALL) -C $(DEB)
	$(Q)cp -r $(DEB)/sampler-$(VERSION)/tools/packaging/debian $(DEB)/sampler-$(VERSION)
	$(Q)cd $(DEB)/sampler-$(VERSION) && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL dpkg-buildpackage -us -uc
	$(Q)cp $(DEB)/*.deb $(BUILD)

# A static program is made from the tarball, so that nothing of this checkout can be in it. Its
# link leaves the map that tells what it holds.
define release_static # architecture, variables of make, folder of the other system
	+$(Q)$(TIMED) $(MAKE) -C $(RELEASE_SOURCE) --no-print-directory BUILD=build-$(1) $(2) \
		LDFLAGS=-Wl,-Map=$(abspath $(RELEASE_SOURCE))/$(1).map static wheel
	$(Q)cp $(RELEASE_SOURCE)/build-$(1)/wheel/*.whl $(RELEASE)
	$(Q)cp $(RELEASE_SOURCE)/build-$(1)/sampler-static $(RELEASE)/sampler-static-$(1)
	$(Q)cp $(RELEASE_SOURCE)/build-$(1)/sampler-static.debug $(RELEASE)/sampler-static-$(1).debug
	$(Q)$(TIMED) tools/packaging/sbom $(RELEASE_SOURCE)/$(1).map $(RELEASE)/sampler-static-$(1) $(VERSION) \
		$(RELEASE)/sampler-static-$(1).spdx.json $(RELEASE)/sampler-static-$(1).licenses.txt $(3)
endef
TIMED := SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct)
AARCH64 := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/sampler-tests/aarch64

release: deb ## all files of a release, in build/release (docs/release.md; after tools/packages release)
	$(Q)rm -rf $(RELEASE) $(RELEASE_SOURCE)
	$(Q)mkdir -p $(RELEASE) $(RELEASE_SOURCE)
	$(Q)tar xf $(TARBALL) -C $(RELEASE_SOURCE) --strip-components=1
	$(Q)cp $(TARBALL) $(BUILD)/*.deb $(RELEASE)
	$(call release_static,$(ARCH))
ifeq ($(ARCH),x86_64)
	$(Q)tools/aarch64-sysroot $(AARCH64)
	$(call release_static,aarch64,CC=aarch64-linux-gnu-gcc SYSROOT=$(AARCH64),$(AARCH64))
else
	@echo "release: on $(ARCH) no static program and no wheel is made for another architecture"
endif
	$(Q)cd $(RELEASE) && sha256sum * >SHA256SUMS && cat SHA256SUMS

.PHONY: tarball deb deb-needs release
