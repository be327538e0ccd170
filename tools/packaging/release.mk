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

# dpkg-buildpackage needs debian/ at the top of the source. Variables given to this make are not
# meant for the package's.
deb: tarball ## Debian packages, as build/*.deb (after tools/packages release)
	$(Q)rm -rf $(DEB) $(BUILD)/*.deb
	$(Q)mkdir -p $(DEB)
	$(Q)tar xf $(TARBALL) -C $(DEB)
	$(Q)cp -r $(DEB)/sampler-$(VERSION)/tools/packaging/debian $(DEB)/sampler-$(VERSION)
	$(Q)cd $(DEB)/sampler-$(VERSION) && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL dpkg-buildpackage -us -uc
	$(Q)cp $(DEB)/*.deb $(BUILD)

# The static program is made from the tarball, so that nothing of this checkout can be in it. Its
# link leaves the map that tells what it holds.
release: deb ## all files of a release, in build/release (docs/release.md; after tools/packages release)
	$(Q)rm -rf $(RELEASE) $(RELEASE_SOURCE)
	$(Q)mkdir -p $(RELEASE) $(RELEASE_SOURCE)
	$(Q)tar xf $(TARBALL) -C $(RELEASE_SOURCE) --strip-components=1
	+$(Q)SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(MAKE) -C $(RELEASE_SOURCE) --no-print-directory BUILD=build \
		LDFLAGS=-Wl,-Map=$(abspath $(RELEASE_SOURCE))/sampler.map static wheel
	$(Q)cp $(TARBALL) $(BUILD)/*.deb $(RELEASE)
	$(Q)find $(RELEASE_SOURCE)/build -name '*.whl' -exec cp -t $(RELEASE) {} +
	$(Q)cp $(RELEASE_SOURCE)/build/sampler-static $(RELEASE)/sampler-static-$(ARCH)
	$(Q)cp $(RELEASE_SOURCE)/build/sampler-static.debug $(RELEASE)/sampler-static-$(ARCH).debug
	$(Q)SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) tools/packaging/sbom $(RELEASE_SOURCE)/sampler.map \
		$(RELEASE)/sampler-static-$(ARCH) $(VERSION) $(RELEASE)/sampler-static-$(ARCH).spdx.json \
		$(RELEASE)/sampler-static-$(ARCH).licenses.txt
	$(Q)cd $(RELEASE) && sha256sum * >SHA256SUMS && cat SHA256SUMS

.PHONY: tarball deb release
