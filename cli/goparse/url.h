/* URLs of goroutine dumps, as people type them. */
#ifndef CLI_GOPARSE_URL_H
#define CLI_GOPARSE_URL_H

/* The URL of the dump. If `url` has no path, or that of net/http/pprof's index or of the goroutine
 * profile, it becomes /debug/pprof/goroutine?debug=2, unless its query has a debug= already; others
 * stay as they are. The caller frees the result. NULL: out of memory. */
char *goparse_url(const char *url);

#endif
