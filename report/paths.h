/* Names of files as Go's path/filepath shortens them; nothing is looked up. */
#ifndef REPORT_PATHS_H
#define REPORT_PATHS_H

#include <stddef.h>

/* filepath.Base: what stands behind the last '/', trailing ones passed over; "." for an
 * empty path, "/" for one of slashes only. Its length through *base_len; not
 * NUL-terminated. */
const char *path_base(const char *path, size_t len, size_t *base_len);

/* filepath.Clean: the shortest path of the same meaning, into `clean`, which has room for
 * len + 1 bytes. Returns its length; not NUL-terminated. */
size_t path_clean(const char *path, size_t len, char *clean);

/* report/source.go, trimPath without options: Bazel's "/proc/self/cwd/" goes. */
const char *path_trim(const char *path, size_t *len);

#endif
