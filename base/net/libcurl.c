/* A table of symbols and their places in struct libcurl is filled by dlsym(3) at the first URL. A
 * static program has the same struct filled by the linker. */
#if __has_include(<curl/curl.h>)
#include "base/net/libcurl.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#ifdef SAMPLER_STATIC

#define ENTRY(field, function) .field = function,
static const struct libcurl loaded = { LIBCURL_FUNCTIONS(ENTRY) };

static int libcurl_start(struct error *err)
{
	if (loaded.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return error_set(err, ERR_NOTFOUND, "libcurl does not start");
	return 0;
}

#else

#include <dlfcn.h>

static struct libcurl loaded;

#define SYMBOL(field, function) { offsetof(struct libcurl, field), #function },

static const struct {
	size_t at;
	const char *name;
} symbols[] = { LIBCURL_FUNCTIONS(SYMBOL) };

static int find_symbols(void *library, struct error *err)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		void *found = dlsym(library, symbols[i].name);

		if (!found)
			return error_set(err, ERR_NOTFOUND,
					 "libcurl is older than 7.66 and has no '%s'",
					 symbols[i].name);
		*(void **)((char *)&loaded + symbols[i].at) = found;
	}
	return 0;
}

/* Debian and its derivatives build libcurl with OpenSSL and with GnuTLS, under these names. The
 * interface has been the same since 2006. */
static int libcurl_start(struct error *err)
{
	static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };
	void *library = NULL;
	int rc = 0;

	for (size_t i = 0; !library && i < sizeof(names) / sizeof(*names); i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return error_set(err, ERR_NOTFOUND,
				 "libcurl.so.4 cannot be loaded: is it installed?");
	rc = find_symbols(library, err);
	if (!rc && loaded.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		rc = error_set(err, ERR_NOTFOUND, "libcurl does not start");
	if (rc)
		dlclose(library);
	return rc;
}

#endif

int libcurl_load(const struct libcurl **curl, struct error *err)
{
	static bool done;
	int rc = done ? 0 : libcurl_start(err);

	done = !rc;
	*curl = &loaded;
	return rc;
}
#endif
