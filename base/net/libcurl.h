/*
 * libcurl's functions, found at run time. Included only where <curl/curl.h> exists.
 *
 * libcurl is not linked: with its dependencies it is 30 libraries on Debian, and our start would
 * take five times as much CPU time. A static program (SAMPLER_STATIC) can load nothing: in it these
 * are the functions of a libcurl that can HTTP and HTTPS only (tools/static/libcurl).
 */
#ifndef BASE_NET_LIBCURL_H
#define BASE_NET_LIBCURL_H

/* CURLOPT_PROTOCOLS is marked as deprecated where its successor exists. libcurl before 7.85 lacks
 * the successor, and the version at run time is not known when this is compiled. */
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>

struct error;

/* Each with its name here and in libcurl, whose header gives its type. */
#define LIBCURL_FUNCTIONS(F) \
	F(global_init, curl_global_init) \
	F(version, curl_version_info) \
	F(easy_init, curl_easy_init) \
	F(easy_set, curl_easy_setopt) \
	F(easy_get, curl_easy_getinfo) \
	F(easy_pause, curl_easy_pause) \
	F(easy_strerror, curl_easy_strerror) \
	F(easy_cleanup, curl_easy_cleanup) \
	F(multi_init, curl_multi_init) \
	F(multi_add, curl_multi_add_handle) \
	F(multi_remove, curl_multi_remove_handle) \
	F(multi_perform, curl_multi_perform) \
	F(multi_poll, curl_multi_poll) \
	F(multi_info, curl_multi_info_read) \
	F(multi_cleanup, curl_multi_cleanup) \
	F(list_append, curl_slist_append) \
	F(list_free, curl_slist_free_all) \
	F(url_new, curl_url) \
	F(url_free, curl_url_cleanup) \
	F(url_get, curl_url_get) \
	F(url_set, curl_url_set) \
	F(release, curl_free)

struct libcurl {
#define LIBCURL_FIELD(field, function) __typeof__(function) *field;
	LIBCURL_FUNCTIONS(LIBCURL_FIELD)
#undef LIBCURL_FIELD
};

/* Loads and initialises libcurl once; it is never unloaded. ERR_NOTFOUND. */
int libcurl_load(const struct libcurl **curl, struct error *err);

#endif
