/*
 * Whose a function is is read from its package's path, whose first element never has a dot in
 * Go's own ("net/http", "vendor/golang.org/x/net/idna") and nearly always in others'. Modules
 * may be called without one ("acme/shop"), so Go's are named here.
 *
 * Rejected: the path of the file, below $GOROOT/src or not. It takes finding $GOROOT, and with
 * -trimpath files have no such path.
 */
#include "goparse/telling.h"

#include <string.h>

#include "goparse/text.h"

/* The folders of go/src, Go 1.18 to 1.26, without cmd. */
static const char *const library[] = {
	"archive", "arena", "bufio", "bytes", "cmp", "compress", "container", "context", "crypto",
	"database", "debug", "embed", "encoding", "errors", "expvar", "flag", "fmt", "go", "hash",
	"html", "image", "index", "internal", "io", "iter", "log", "maps", "math", "mime", "net",
	"os", "path", "plugin", "reflect", "regexp", "runtime", "simd", "slices", "sort", "strconv",
	"strings", "structs", "sync", "syscall", "testing", "text", "time", "unicode", "unique",
	"unsafe", "vendor", "weak",
};

/* strchr finds NUL in every string. */
static bool one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static struct goparse_text up_to(struct goparse_text text, const char *ends)
{
	size_t len = 0;

	while (len < text.len && !one_of(text.at[len], ends))
		len++;
	return (struct goparse_text){ text.at, len };
}

/* The package's path, and no more than "pkg.Type" or "pkg.function" behind it: types that a
 * method or a function has in its name may have paths of their own. */
static struct goparse_text path_of(struct goparse_text function)
{
	return up_to(function, "([");
}

/* "net" of "net/http.(*Server)", "runtime" of "runtime.gopark"; nothing without a package, as
 * C's functions are. */
static struct goparse_text first_element(struct goparse_text function)
{
	struct goparse_text path = path_of(function), element = up_to(path, "/");

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

static struct goparse_text behind(struct goparse_text text, size_t len)
{
	return (struct goparse_text){ text.at + len, text.len - len };
}

static struct goparse_text last_element(struct goparse_text path, struct goparse_text whole,
					const char *separators)
{
	size_t start = path.len;

	while (start && !one_of(path.at[start - 1], separators))
		start--;
	return behind(whole, start);
}

struct goparse_text telling_short_name(struct goparse_text function)
{
	return last_element(path_of(function), function, "/");
}

struct goparse_text telling_file_name(struct goparse_text file)
{
	return last_element(file, file, "/\\");
}

/* "sync.(*Mutex).Lock" and "sync.Mutex.Lock"; "time.Sleep" and "sleep". */
static bool says(struct goparse_text state, struct goparse_text function)
{
	size_t i = 0;

	state.len = up_to(state, " ").len; /* "(leaked)" behind it says nothing of where */
	if (text_is(state, LITERAL("sleep")))
		return text_is(function, LITERAL("time.Sleep"));
	for (size_t j = 0; j < function.len; j++) {
		if (one_of(function.at[j], "(*)"))
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

/* Of the runtime alone what it was begun as: every goroutine ends in goexit. */
static size_t outermost_library(const struct goparse_stack *s)
{
	size_t last = s->count - 1;

	for (size_t i = s->count; i--; )
		if (!telling_is_runtime(s->frames[i].function))
			return i;
	return last && text_is(s->frames[last].function, LITERAL("runtime.goexit")) ? last - 1 : last;
}

size_t telling_frames(const struct goparse_stack *s, struct goparse_text state, size_t *at,
		      size_t max)
{
	size_t i = telling_own(s), count = 0;

	if (!s->count)
		return 0;
	i = i < s->count ? i : outermost_library(s);
	if (i && !telling_is_runtime(s->frames[i - 1].function) &&
	    !says(state, s->frames[i - 1].function) && count < max)
		at[count++] = i - 1;
	if (count < max)
		at[count++] = i;
	for (size_t j = i + 1; j < s->count && count < max; j++)
		if (!telling_is_library(s->frames[j].function) &&
		    !text_equal(s->frames[j].function, s->frames[at[count - 1]].function))
			at[count++] = j;
	return count;
}
