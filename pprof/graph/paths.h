/* Shortens path names as Go's path/filepath does it, without looking at the file system. */
#ifndef PPROF_GRAPH_PATHS_H
#define PPROF_GRAPH_PATHS_H

#include <stddef.h>

/* filepath.Base: what follows the last '/', trailing ones ignored; "." for an empty path, "/" for
 * one that has only slashes. Its length in *base_len. Points into `path` or to a constant; not
 * NUL-terminated. */
const char *path_base(const char *path, size_t len, size_t *base_len);

/* filepath.Clean: the shortest path with the same meaning, into `clean`, which has room for len + 1
 * bytes. Returns its length; not NUL-terminated. */
size_t path_clean(const char *path, size_t len, char *clean);

/* google/pprof's internal/report/source.go, trimPath without options: removes Bazel's
 * "/proc/self/cwd/". Returns a pointer into `path` and shortens *len. */
const char *path_trim(const char *path, size_t *len);

#endif
