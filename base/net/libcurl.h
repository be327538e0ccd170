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

struct libcurl {
	CURLcode (*global_init)(long flags);
	curl_version_info_data *(*version)(CURLversion);
	CURL *(*easy_init)(void);
	CURLcode (*easy_set)(CURL *, CURLoption, ...);
	CURLcode (*easy_get)(CURL *, CURLINFO, ...);
	CURLcode (*easy_pause)(CURL *, int);
	const char *(*easy_strerror)(CURLcode);
	void (*easy_cleanup)(CURL *);
	CURLM *(*multi_init)(void);
	CURLMcode (*multi_add)(CURLM *, CURL *);
	CURLMcode (*multi_remove)(CURLM *, CURL *);
	CURLMcode (*multi_perform)(CURLM *, int *running);
	CURLMcode (*multi_poll)(CURLM *, struct curl_waitfd *, unsigned, int ms, int *ready);
	CURLMsg *(*multi_info)(CURLM *, int *left);
	CURLMcode (*multi_cleanup)(CURLM *);
	struct curl_slist *(*list_append)(struct curl_slist *, const char *);
	void (*list_free)(struct curl_slist *);
	CURLU *(*url_new)(void);
	void (*url_free)(CURLU *);
	CURLUcode (*url_get)(const CURLU *, CURLUPart, char **, unsigned);
	CURLUcode (*url_set)(CURLU *, CURLUPart, const char *, unsigned);
	void (*release)(void *);
};

/* Loads and initialises libcurl once; it is never unloaded. ERR_NOTFOUND. */
int libcurl_load(const struct libcurl **curl, struct error *err);

#endif
