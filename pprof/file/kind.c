/*
 * The first bytes decide, as for file(1); of texts also words in the first 4 KiB. Called only for
 * bytes that did not decode, so that a wrong guess can cost no profile.
 *
 * Rejected: libmagic, which has a database of some megabytes and none of the kinds that matter most
 * here (Go's traces, folded stacks, pages of profilers).
 */
#include "pprof/file/kind.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"

enum { HEAD = 4096 };

struct magic {
	const char *bytes;
	size_t len;
	const char *what; /* and what to do */
};

#define MAGIC(bytes, what) { bytes, sizeof(bytes) - 1, what }

static const struct magic magics[] = {
	MAGIC("PERFILE2", "perf's own recording (perf.data): `perf report -i` shows it, "
			  "perf_to_profile makes a pprof profile of it"),
	MAGIC("2ELIFREP", "perf's own recording (perf.data) of a machine of the other byte order"),
	MAGIC("\x7f"
	      "ELF",
	      "a program, a library or a core file (ELF); to sample a program: sampler -- PROGRAM"),
	MAGIC("FLR\0", "a recording of Java Flight Recorder: `jfr print` shows it"),
	MAGIC("PK\x03\x04", "a zip archive: unpack it first"),
	MAGIC("\xfd"
	      "7zXZ\0",
	      "compressed by xz: uncompress it first"),
	MAGIC("BZh", "compressed by bzip2: uncompress it first"),
	MAGIC("\x1f\x8b", "compressed twice: uncompress it once more"),
	MAGIC("\x28\xb5\x2f\xfd", "compressed twice: uncompress it once more"),
	MAGIC("\x89PNG", "a picture (PNG)"),
	MAGIC("SQLite format 3\0", "a database (SQLite)"),
	MAGIC("JAVA PROFILE ", "a heap dump of a Java program (HPROF)"),
	MAGIC("# callgrind format", "callgrind's output: callgrind_annotate shows it"),
	MAGIC("version: 1\ncreator: callgrind", "callgrind's output: callgrind_annotate shows it"),
};

/* Texts, by a word at their beginning or within. */
static const struct {
	bool first; /* the text begins so, white space aside */
	const char *word, *what;
} texts[] = {
	{ true, "<!doctype html",
	  "an HTML page: open it in a browser; if a download left it, it is "
	  "the server's answer in place of a profile" },
	{ true, "<html",
	  "an HTML page: open it in a browser; if a download left it, it is the "
	  "server's answer in place of a profile" },
	{ true, "<svg", "a picture (SVG): open it in a browser" },
	{ false, "<svg", "a picture (SVG): open it in a browser" },
	{ true, "<?xml", "an XML file" },
	{ false, "goroutine 1 [", "a dump of goroutines: sampler goparse FILE reads it" },
	{ false, "speedscope.app/file-format-schema",
	  "a file of speedscope: open it there; the "
	  "profile it was made from is needed here" },
	{ false, "\"traceEvents\"",
	  "a trace in Chrome's format: chrome://tracing and Perfetto show "
	  "it" },
	{ false, "\"timeDeltas\"",
	  "a CPU profile of V8 (.cpuprofile): Chrome's developer tools "
	  "and speedscope show it" },
	{ true, "{", "a JSON file" },
	{ true, "[", "a JSON file" },
};

static bool begins(const char *text, size_t len, const char *word)
{
	return len >= strlen(word) && !strncasecmp(text, word, strlen(word));
}

/* UTF-8 has no byte 0xc0, 0xc1, or above 0xf4 (RFC 3629, 4). */
static bool is_text(const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (data[i] > 0xf4 || (data[i] & 0xfe) == 0xc0)
			return false;
		else if (data[i] < ' ' && !strchr("\t\n\r\f\x1b", data[i] ? data[i] : 1))
			return false;
	return true;
}

/* "a;b;c 12" on the first line. */
static bool is_folded(const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len), *space;
	size_t line = end ? (size_t)(end - text) : len;

	space = memrchr(text, ' ', line);
	if (!space || !memchr(text, ';', (size_t)(space - text)) || space + 1 == text + line)
		return false;
	for (const char *c = space + 1; c < text + line; c++)
		if (!isdigit((unsigned char)*c))
			return false;
	return true;
}

static const char *text_kind(const char *text, size_t len)
{
	size_t skip = 0;

	while (skip < len && isspace((unsigned char)text[skip]))
		skip++;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (texts[i].first ?
			    begins(text + skip, len - skip, texts[i].word) :
			    memmem(text, len, texts[i].word, strlen(texts[i].word)) != NULL)
			return texts[i].what;
	if (is_folded(text, len))
		return "folded stacks: flamegraph.pl and speedscope read them; the profile that "
		       "they were made from is needed here";
	return "a text of no form that is known here";
}

/* "go 1.22 trace" and zeros (internal/trace/raw of Go). */
static bool is_go_trace(const uint8_t *data, size_t len)
{
	return len >= 16 && !memcmp(data, "go 1.", 5) && memmem(data, 16, " trace", 6);
}

static const char *kind_of(const uint8_t *data, size_t len)
{
	struct cursor c;

	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++)
		if (len >= magics[i].len && !memcmp(data, magics[i].bytes, magics[i].len))
			return magics[i].what;
	if (is_go_trace(data, len))
		return "an execution trace of Go: go tool trace shows it";
	cursor_init(&c, data, len, "archive");
	cursor_bytes(&c, 257); /* POSIX pax(1), "ustar Interchange Format": magic */
	if (cursor_left(&c) >= 5 && !memcmp(c.pos, "ustar", 5))
		return "a tar archive: unpack it first";
	len = len < HEAD ? len : HEAD;
	return is_text(data, len) ? text_kind((const char *)data, len) : NULL;
}

int kind_explain(const void *data, size_t len, bool packed, int rc, struct error *err)
{
	const char *it = packed ? "uncompressed, it" : "it", *what;

	if (!len)
		return error_set(err, rc,
				 "%s is empty: the program that wrote it had no profile, or was "
				 "ended before it was done; take the profile again",
				 it);
	what = kind_of(data, len);
	return what ? error_set(err, rc, "%s is no profile, but %s", it, what) : rc;
}
