/* A table of symbols and their places in struct libcurl is filled by dlsym(3) at the first URL. A
 * static program has the same struct filled by the linker. */
#if __has_include(<curl/curl.h>)
#include "base/net/libcurl.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#ifdef SAMPLER_STATIC

/* Before 7.84 its first parameter is not const. */
static CURLUcode url_get(const CURLU *url, CURLUPart what, char **part, unsigned flags)
{
	return curl_url_get((CURLU *)url, what, part, flags);
}

static const struct libcurl loaded = {
	.global_init = curl_global_init,
	.version = curl_version_info,
	.easy_init = curl_easy_init,
	.easy_set = curl_easy_setopt,
	.easy_get = curl_easy_getinfo,
	.easy_pause = curl_easy_pause,
	.easy_strerror = curl_easy_strerror,
	.easy_cleanup = curl_easy_cleanup,
	.multi_init = curl_multi_init,
	.multi_add = curl_multi_add_handle,
	.multi_remove = curl_multi_remove_handle,
	.multi_perform = curl_multi_perform,
	.multi_poll = curl_multi_poll,
	.multi_info = curl_multi_info_read,
	.multi_cleanup = curl_multi_cleanup,
	.list_append = curl_slist_append,
	.list_free = curl_slist_free_all,
	.url_new = curl_url,
	.url_free = curl_url_cleanup,
	.url_get = url_get,
	.url_set = curl_url_set,
	.release = curl_free,
};

static int libcurl_start(struct error *err)
{
	if (loaded.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return error_set(err, ERR_NOTFOUND, "libcurl does not start");
	return 0;
}

#else

#include <dlfcn.h>

static struct libcurl loaded;

#define SYMBOL(field, name) { offsetof(struct libcurl, field), name }

static const struct {
	size_t at;
	const char *name;
} symbols[] = {
	SYMBOL(global_init, "curl_global_init"),
	SYMBOL(version, "curl_version_info"),
	SYMBOL(easy_init, "curl_easy_init"),
	SYMBOL(easy_set, "curl_easy_setopt"),
	SYMBOL(easy_get, "curl_easy_getinfo"),
	SYMBOL(easy_pause, "curl_easy_pause"),
	SYMBOL(easy_strerror, "curl_easy_strerror"),
	SYMBOL(easy_cleanup, "curl_easy_cleanup"),
	SYMBOL(multi_init, "curl_multi_init"),
	SYMBOL(multi_add, "curl_multi_add_handle"),
	SYMBOL(multi_remove, "curl_multi_remove_handle"),
	SYMBOL(multi_perform, "curl_multi_perform"),
	SYMBOL(multi_poll, "curl_multi_poll"),
	SYMBOL(multi_info, "curl_multi_info_read"),
	SYMBOL(multi_cleanup, "curl_multi_cleanup"),
	SYMBOL(list_append, "curl_slist_append"),
	SYMBOL(list_free, "curl_slist_free_all"),
	SYMBOL(url_new, "curl_url"),
	SYMBOL(url_free, "curl_url_cleanup"),
	SYMBOL(url_get, "curl_url_get"),
	SYMBOL(url_set, "curl_url_set"),
	SYMBOL(release, "curl_free"),
};

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
