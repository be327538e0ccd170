/* Path elements are read from left to right; ".." removes the element written last, if there is one
 * to remove (Go, src/internal/filepathlite/path.go). */
#include "pprof/graph/paths.h"

#include <stdbool.h>
#include <string.h>

const char *path_base(const char *path, size_t len, size_t *base_len)
{
	size_t start;

	if (!len) {
		*base_len = 1;
		return ".";
	}
	while (len > 1 && path[len - 1] == '/')
		len--;
	for (start = len; start && path[start - 1] != '/'; start--)
		;
	if (start == len) /* "/" */
		start--;
	*base_len = len - start;
	return path + start;
}

struct cleaning {
	char *out;
	size_t len, fixed; /* bytes written; of these, the root and leading ".." */
	bool rooted;
};

static void add_element(struct cleaning *c, const char *element, size_t len)
{
	if (c->len && c->out[c->len - 1] != '/')
		c->out[c->len++] = '/';
	memcpy(c->out + c->len, element, len);
	c->len += len;
}

static void paths_go_up(struct cleaning *c)
{
	if (c->len > c->fixed) {
		do
			c->len--;
		while (c->len > c->fixed && c->out[c->len] != '/');
	} else if (!c->rooted) {
		add_element(c, "..", 2);
		c->fixed = c->len;
	}
}

size_t path_clean(const char *path, size_t len, char *clean)
{
	struct cleaning c = { .out = clean };
	size_t at = 0;

	if (len && path[0] == '/') {
		c.rooted = true;
		clean[c.len++] = '/';
		c.fixed = 1;
	}
	while (at < len) {
		const char *slash = memchr(path + at, '/', len - at);
		size_t n = slash ? (size_t)(slash - path) - at : len - at;

		if (n == 2 && !memcmp(path + at, "..", 2))
			paths_go_up(&c);
		else if (n && !(n == 1 && path[at] == '.'))
			add_element(&c, path + at, n);
		at += n + 1;
	}
	if (!c.len)
		clean[c.len++] = '.';
	return c.len;
}

const char *path_trim(const char *path, size_t *len)
{
	static const char *const prefixes[] = { "/proc/self/cwd/./", "/proc/self/cwd/" };

	for (size_t i = 0; i < 2; i++) {
		size_t n = strlen(prefixes[i]);

		if (*len >= n && !memcmp(path, prefixes[i], n)) {
			*len -= n;
			return path + n;
		}
	}
	return path;
}
