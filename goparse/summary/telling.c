/*
 * Whether a function is Go's own is read from its package path. The first element of that path
 * never has a dot in Go's own packages ("net/http", "vendor/golang.org/x/net/idna") and nearly
 * always has one in others. A module can have a name without a dot ("acme/shop"), so Go's elements
 * are listed here.
 *
 * Rejected: whether the file is below $GOROOT/src. That needs $GOROOT, and with -trimpath the files
 * have no such path.
 */
#include "goparse/summary/telling.h"

#include <string.h>

#include "goparse/text.h"

/* The directories of go/src, Go 1.18 to 1.26, without cmd. */
static const char *const library[] = {
	"archive", "arena",    "bufio",	 "bytes",   "cmp",	"compress", "container", "context",
	"crypto",  "database", "debug",	 "embed",   "encoding", "errors",   "expvar",	 "flag",
	"fmt",	   "go",       "hash",	 "html",    "image",	"index",    "internal",	 "io",
	"iter",	   "log",      "maps",	 "math",    "mime",	"net",	    "os",	 "path",
	"plugin",  "reflect",  "regexp", "runtime", "simd",	"slices",   "sort",	 "strconv",
	"strings", "structs",  "sync",	 "syscall", "testing",	"text",	    "time",	 "unicode",
	"unique",  "unsafe",   "vendor", "weak",
};

/* strchr also finds the NUL at the end of `set`. */
static bool telling_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static struct goparse_text up_to(struct goparse_text text, const char *ends)
{
	size_t len = 0;

	while (len < text.len && !telling_one_of(text.at[len], ends))
		len++;
	return (struct goparse_text){ text.at, len };
}

/* The package path and what follows it, up to the first bracket: the types in brackets can have
 * paths of their own. */
static struct goparse_text telling_path_of(struct goparse_text function)
{
	return up_to(function, "([");
}

/* "net" of "net/http.(*Server)", "runtime" of "runtime.gopark"; empty without a package, as for C
 * functions. */
static struct goparse_text first_element(struct goparse_text function)
{
	struct goparse_text path = telling_path_of(function), element = up_to(path, "/");

	if (element.len == path.len)
		element = up_to(path, ".");
	if (element.len == function.len)
		element.len = 0;
	return element;
}

bool telling_is_library(struct goparse_text function)
{
	struct goparse_text element = first_element(function);

	for (size_t i = 0; i < sizeof(library) / sizeof(*library); i++)
		if (text_is(element, library[i], strlen(library[i])))
			return true;
	return !element.len;
}

bool telling_is_runtime(struct goparse_text function)
{
	struct goparse_text element = first_element(function);

	return !element.len || text_is(element, LITERAL("runtime")) ||
	       text_starts(function, LITERAL("internal/runtime/"));
}

static struct goparse_text telling_behind(struct goparse_text text, size_t len)
{
	return (struct goparse_text){ text.at + len, text.len - len };
}

static struct goparse_text last_element(struct goparse_text path, struct goparse_text whole,
					const char *separators)
{
	size_t start = path.len;

	while (start && !telling_one_of(path.at[start - 1], separators))
		start--;
	return telling_behind(whole, start);
}

struct goparse_text telling_short_name(struct goparse_text function)
{
	return last_element(telling_path_of(function), function, "/");
}

struct goparse_text telling_file_name(struct goparse_text file)
{
	return last_element(file, file, "/\\");
}

/* True if the state names the function: "sync.Mutex.Lock" and "sync.(*Mutex).Lock"; "sleep" and
 * "time.Sleep". */
static bool telling_says(struct goparse_text state, struct goparse_text function)
{
	size_t i = 0;

	state.len = up_to(state, " ").len; /* without " (leaked)" */
	if (text_is(state, LITERAL("sleep")))
		return text_is(function, LITERAL("time.Sleep"));
	for (size_t j = 0; j < function.len; j++) {
		if (telling_one_of(function.at[j], "(*)"))
			continue;
		if (i == state.len || state.at[i++] != function.at[j])
			return false;
	}
	return i == state.len;
}

size_t telling_own(const struct goparse_stack *s)
{
	size_t i = 0;

	while (i < s->count && telling_is_library(s->frames[i].function))
		i++;
	return i;
}

/* The outermost frame outside the runtime. If all are the runtime's, the function that the
 * goroutine was started with: all goroutines end in goexit. */
static size_t outermost_library(const struct goparse_stack *s)
{
	size_t last = s->count - 1;

	for (size_t i = s->count; i--;)
		if (!telling_is_runtime(s->frames[i].function))
			return i;
	if (last && text_is(s->frames[last].function, LITERAL("runtime.goexit")))
		return last - 1;
	return last;
}

size_t telling_frames(const struct goparse_stack *s, struct goparse_text state, size_t *at,
		      size_t max)
{
	size_t i = telling_own(s), count = 0;

	if (!s->count)
		return 0;
	i = i < s->count ? i : outermost_library(s);
	if (i && !telling_is_runtime(s->frames[i - 1].function) &&
	    !telling_says(state, s->frames[i - 1].function) && count < max)
		at[count++] = i - 1;
	if (count < max)
		at[count++] = i;
	for (size_t j = i + 1; j < s->count && count < max; j++)
		if (!telling_is_library(s->frames[j].function) &&
		    !text_equal(s->frames[j].function, s->frames[at[count - 1]].function))
			at[count++] = j;
	return count;
}
