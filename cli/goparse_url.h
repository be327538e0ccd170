/* URLs of goroutine dumps, as people type them. */
#ifndef CLI_GOPARSE_URL_H
#define CLI_GOPARSE_URL_H

/* Where the dump is: a URL without a path, or whose path is that of net/http/pprof's index or of
 * the goroutine profile, is led to /debug/pprof/goroutine?debug=2; others stay as they are. NULL
 * when out of memory, to be freed. */
char *goparse_url(const char *url);

/* The URL without user and password, for messages and labels. The same. */
char *goparse_url_name(const char *url);

#endif
