/*
 * The first bytes decide, as for file(1); of texts also words in the first MiB. Called only for
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
#include "pprof/wire/fields.h"
#include "pprof/wire/wire.h"
#include "pprof/file/zstd.h"
#include "pprof/wire/gzip.h"

enum {
	HEAD = 4096, /* that must be text */
	FOLDED_LINES = 100,
	SEEN = 1 << 20 /* in which words are looked for */
};

#define HTML \
	"an HTML page: open it in a browser; if a download left it, it is the server's answer in " \
	"place of a profile"
#define GOROUTINES "a dump of goroutines: sampler goparse FILE reads it"
#define SPEEDSCOPE \
	"a file of speedscope: open it there; the profile it was made from is needed here"
#define CHROME "a trace in Chrome's format: chrome://tracing and Perfetto show it"
#define CALLGRIND "callgrind's output, or in its format: callgrind_annotate and KCachegrind show it"
#define OTLP \
	"OpenTelemetry's form of a profile (OTLP): the profile that it was made from is needed here"
#define MEMRAY "a recording of memray: `memray flamegraph FILE` shows it"
#define PRINTED "what pprof or sampler prints: the profile that it was made from is needed here"
#define FIREFOX "a profile of Firefox's profiler: profiler.firefox.com shows it"
#define NAMED \
	"`pprof -proto PROGRAM FILE >OUT` makes of it a profile with names, which sampler reads"
#define ALLOCATORS "a heap profile of tcmalloc or jemalloc: `jeprof PROGRAM FILE` shows it, " NAMED
#define CPUPROFILE \
	"a CPU profile of V8 (.cpuprofile): Chrome's developer tools and speedscope show it"

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
	MAGIC("FLR\0",
	      "a recording of Java Flight Recorder: `jfr print` shows it, async-profiler's "
	      "`jfrconv FILE out.pb.gz` makes a pprof profile of it"),
	MAGIC("Nettrace", "a recording of dotnet-trace: `dotnet-trace convert --format speedscope "
			  "FILE` makes a file of speedscope of it"),
	MAGIC("memray\0", MEMRAY),
	MAGIC("gmon", "a profile of a program built with -pg: `gprof PROGRAM FILE` shows it"),
	MAGIC("PK\x03\x04", "a zip archive: unpack it first"),
	MAGIC("\xfd"
	      "7zXZ\0",
	      "compressed by xz: uncompress it first"),
	MAGIC("BZh", "compressed by bzip2: uncompress it first"),
	MAGIC("\x1f\xef\xbf\xbd",
	      "a file compressed by gzip that was taken for a text: what was not UTF-8 "
	      "is lost; transfer it as binary"),
	MAGIC("\x1f\xc2\x8b",
	      "a file compressed by gzip that was taken for a text in Latin-1: `iconv -f "
	      "utf-8 -t latin1` restores it; transfer it as binary"),
	MAGIC("\xff\xfe", "a text in UTF-16: convert it to UTF-8; sampler goparse reads dumps of "
			  "goroutines in it"),
	MAGIC("\xfe\xff", "a text in UTF-16: convert it to UTF-8; sampler goparse reads dumps of "
			  "goroutines in it"),
	MAGIC("\x89PNG", "a picture (PNG)"),
	MAGIC("SQLite format 3\0", "a database (SQLite)"),
	MAGIC("JAVA PROFILE ",
	      "a heap dump of a Java program (HPROF): Eclipse's Memory Analyzer and VisualVM "
	      "show it"),
	MAGIC("# callgrind format", CALLGRIND),
	MAGIC("version: 1\ncreator: ", CALLGRIND),
};

/* Texts, by the word that they begin with, white space aside, and one anywhere in them. NULL: any.
 * A file of JSON is often one long line, and its keys are in any order, so words are looked for far
 * into it. */
static const struct {
	const char *first, *within, *what;
} texts[] = {
	{ "<!doctype html", NULL, HTML },
	{ "<html", NULL, HTML },
	{ "version https://git-lfs.github.com/spec/", NULL,
	  "a pointer of Git LFS: `git lfs pull` fetches the file that it stands for" },
	{ "/annex/objects/", NULL,
	  "a pointer of git-annex: `git annex get` fetches the file that it stands for" },
	{ "--- symbol", NULL,
	  "a profile behind a table of symbols, as `jeprof --raw` writes it: jeprof reads it" },
	{ "heap_v2/", NULL, "a heap profile of jemalloc: `jeprof PROGRAM FILE` shows it" },
	{ "--- contentionz ", NULL, "a contention profile of gperftools: " NAMED },
	{ "digraph ", NULL, "a graph for Graphviz: `dot -Tsvg` draws it" },
	{ "v8-version,", NULL, "a log of `node --prof`: `node --prof-process FILE` shows it" },
	{ "v 1", "\nX ", "a recording of heaptrack: `heaptrack_print FILE` shows it" },
	{ "desc:", "\ntime_unit: ", "massif's output: ms_print shows it" },
	{ NULL, "\nevents: Ir", "cachegrind's output: cg_annotate shows it" },
	{ NULL, "Full thread dump ",
	  "the threads of a Java program, as jstack prints them, to be read as it is: "
	  "`sampler -p PID --wall` makes a profile of where they are" },
	{ "process ", "\nthread ",
	  "what `sampler dump` prints, to be read as it is: "
	  "`sampler -p PID --wall` makes a profile of where threads are" },
	{ NULL, " total\nROUTINE ====", PRINTED },
	{ "Total: ", "\nROUTINE ====", PRINTED },
	{ "PeriodType: ", "\nSamples:\n", PRINTED },
	{ NULL, "\nShowing nodes accounting for ", PRINTED },
	{ NULL, ", Total samples = ", PRINTED },
	{ NULL, "<svg", "a picture (SVG): open it in a browser" },
	{ "<?xml", NULL, "an XML file" },
};

static const struct {
	const char *word, *what;
} objects[] = {
	{ "speedscope.app/file-format-schema", SPEEDSCOPE },
	{ "\"shared\":{\"frames\":", SPEEDSCOPE },
	{ "\"traceEvents\"", CHROME },
	{ "\"preprocessedProfileVersion\"", FIREFOX },
	{ "\"processType\"", FIREFOX },
	{ "\"snapshot\":{\"meta\"", "a heap snapshot of V8: Chrome's developer tools show it" },
	{ "\"resourceProfiles\"", OTLP },
	{ "\"flamebearer\"",
	  "a flame graph of Pyroscope's: "
	  "`profilecli query profile --output pprof=FILE` fetches the profile from the server" },
	{ "\"dhatFileVersion\"", "DHAT's output: dh_view.html of Valgrind shows it" },
	{ "\"waits_for\"",
	  "what `sampler dump --json` prints: `sampler -p PID --wall` makes a profile of where "
	  "threads are" },
	{ "\"selfSize\"",
	  "a heap profile of V8 (.heapprofile): Chrome's developer tools and speedscope "
	  "show it" },
	{ "\"timeDeltas\"", CPUPROFILE },
	{ "\"callFrame\"", CPUPROFILE },
};

static bool kind_begins(const char *text, size_t len, const char *word)
{
	return len >= strlen(word) && !strncasecmp(text, word, strlen(word));
}

/* UTF-8 has no byte 0xc0, 0xc1, or above 0xf4 (RFC 3629, 4). */
static bool kind_is_text(const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (data[i] > 0xf4 || (data[i] & 0xfe) == 0xc0)
			return false;
		else if (data[i] < ' ' && !strchr("\t\n\r\f\x1b", data[i] ? data[i] : 1))
			return false;
	return true;
}

/* "a;b;c 12" */
static bool is_counted(struct cursor line)
{
	const uint8_t *space = memrchr(line.pos, ' ', cursor_left(&line));

	if (!space || space == line.pos || space + 1 == line.end)
		return false;
	for (const uint8_t *c = space + 1; c < line.end; c++)
		if (!isdigit(*c))
			return false;
	return true;
}

/* Stacks of one frame have no ';', so some lines are read. The last one may be cut off. */
static bool is_folded(struct cursor c)
{
	struct cursor line;
	bool deep = false;

	for (int i = 0; i < FOLDED_LINES && cursor_line(&c, &line); i++) {
		if (!is_counted(line))
			return deep && i && !cursor_left(&c);
		deep |= memchr(line.pos, ';', cursor_left(&line)) != NULL;
	}
	return deep;
}

/* "goroutine 18 [" or "goroutine 18 gp=0x", anywhere in the text. */
static bool has_goroutine(struct cursor c)
{
	static const char word[] = "goroutine ";
	const uint8_t *at;

	while ((at = memmem(c.pos, cursor_left(&c), word, sizeof(word) - 1))) {
		cursor_bytes(&c, (size_t)(at - c.pos) + sizeof(word) - 1);
		at = c.pos;
		while (cursor_left(&c) && isdigit(*c.pos))
			cursor_byte(&c);
		if (c.pos > at && (kind_begins((const char *)c.pos, cursor_left(&c), " [") ||
				   kind_begins((const char *)c.pos, cursor_left(&c), " gp=0x")))
			return true;
	}
	return false;
}

/* "\t 401000 f (/bin/x)" */
static bool is_perf_frame(struct cursor line)
{
	const uint8_t *start;

	cursor_blanks(&line);
	start = line.pos;
	while (cursor_left(&line) && isxdigit(*line.pos))
		cursor_byte(&line);
	return line.pos > start + 3 && cursor_left(&line) && *line.pos == ' ' &&
	       line.end[-1] == ')';
}

/* "main 123 4567.890123: 1 cycles:" on a line, and a frame behind it or on the next. */
static bool is_perf_script(struct cursor c)
{
	static const char sign[] = ": ";
	const uint8_t *at;
	struct cursor line;

	while (cursor_line(&c, &line) && (!cursor_left(&line) || *line.pos == '#'))
		;
	at = memmem(line.pos, cursor_left(&line), sign, sizeof(sign) - 1);
	if (!at)
		return false;
	for (; at; at = memmem(line.pos, cursor_left(&line), sign, sizeof(sign) - 1)) {
		cursor_bytes(&line, (size_t)(at - line.pos) + sizeof(sign) - 1);
		if (is_perf_frame(line))
			return true;
	}
	return cursor_line(&c, &line) && cursor_left(&line) && isspace(*line.pos) &&
	       is_perf_frame(line);
}

/* "[{"name":"f","ph":"X",…": Chrome's array of events has no key of its own. */
static bool is_event_array(const char *text, size_t len)
{
	static const char phase[] = "\"ph\"";

	return *text == '[' && memmem(text, len, phase, sizeof(phase) - 1);
}

/* An object, or an array of objects, arrays or texts: "[no stack] 3" and "[0.1s] a log" are not. */
static bool is_json(const char *text, size_t len)
{
	size_t next = 1;

	while (next < len && isspace((unsigned char)text[next]))
		next++;
	return next < len && ((*text == '{' && strchr("\"}", text[next])) ||
			      (*text == '[' && strchr("{[\"]", text[next])));
}

static const char *json_kind(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++)
		if (memmem(text, len, objects[i].word, strlen(objects[i].word)))
			return objects[i].what;
	return is_event_array(text, len) ? CHROME : "a JSON file";
}

static const char *kind_by_words(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if ((!texts[i].first || kind_begins(text, len, texts[i].first)) &&
		    (!texts[i].within ||
		     memmem(text, len, texts[i].within, strlen(texts[i].within))))
			return texts[i].what;
	return NULL;
}

/* tcmalloc's, or that of a jemalloc before 4. Those of Go are of the kind "heap/" and have no
 * memory map behind them (runtime/pprof, writeHeapInternal). */
static bool is_allocators_heap(struct cursor c)
{
	static const char kind[] = "] @ heap/", map[] = "\nMAPPED_LIBRARIES:";
	struct cursor line;

	if (!kind_begins((const char *)c.pos, cursor_left(&c), "heap profile:"))
		return false;
	cursor_line(&c, &line);
	return !memmem(line.pos, cursor_left(&line), kind, sizeof(kind) - 1) ||
	       memmem(c.pos, cursor_left(&c), map, sizeof(map) - 1);
}

static const char *text_kind(const char *text, size_t len)
{
	struct cursor c;
	const char *what;
	size_t skip = 0;

	while (skip < len && isspace((unsigned char)text[skip]))
		skip++;
	text += skip;
	len -= skip;
	cursor_init(&c, text, len, "text");
	if (has_goroutine(c))
		return GOROUTINES;
	if (is_json(text, len))
		return json_kind(text, len);
	if (is_allocators_heap(c))
		return ALLOCATORS;
	if ((what = kind_by_words(text, len)))
		return what;
	if (is_folded(c))
		return "folded stacks: flamegraph.pl and speedscope read them; the profile that "
		       "they were made from is needed here";
	if (is_perf_script(c))
		return "what `perf script` prints: stackcollapse-perf.pl and speedscope read it; "
		       "perf_to_profile makes a pprof profile of the perf.data";
	return NULL;
}

/* Several profiles one behind the other: each string table begins with the empty string. */
static bool is_joined(const uint8_t *data, size_t len)
{
	struct wire_field f;
	struct cursor c;
	int tables = 0;

	cursor_init(&c, data, len, "profile");
	while (wire_next(&c, &f))
		tables += f.number == PROFILE_STRING_TABLE && f.type == WIRE_BYTES && !f.value;
	return !c.failed && tables > 1;
}

/* ProfilesData (opentelemetry/proto/profiles/v1development/profiles.proto): resource_profiles (1)
 * and one dictionary (2). A profile has a string table behind its samples (2). */
static bool is_otlp(struct cursor c)
{
	struct wire_field f;
	int resources = 0, dictionaries = 0;

	while (wire_next(&c, &f)) {
		if (f.type != WIRE_BYTES || !f.number || f.number > 2)
			return false;
		resources += f.number == 1;
		dictionaries += f.number == 2;
	}
	return !c.failed && resources && dictionaries == 1;
}

/* "go 1.22 trace" and zeros (internal/trace/raw of Go). */
static bool is_go_trace(const uint8_t *data, size_t len)
{
	return len >= 16 && !memcmp(data, "go 1.", 5) && memmem(data, 16, " trace", 6);
}

/* 0, 3, 0, a period, 0: words of 32 or 64 bits in either byte order (gperftools,
 * docs/cpuprofile-fileformat.html). */
static bool is_cpu_of_words(const uint8_t *data, size_t len, size_t word)
{
	static const uint8_t zero[8];

	return len >= 5 * word && !memcmp(data, zero, word) &&
	       (data[word] == 3 || data[2 * word - 1] == 3) &&
	       !memcmp(data + 2 * word, zero, word) && memcmp(data + 3 * word, zero, word) &&
	       !memcmp(data + 4 * word, zero, word);
}

/* Python's marshal of a dict whose first key is a tuple of three, by which cProfile's functions go;
 * the highest bit marks what is referred to again (marshal.c, TYPE_DICT, TYPE_SMALL_TUPLE). */
static bool is_pstats(const uint8_t *data, size_t len)
{
	return len >= 3 && (data[0] & 0x7f) == '{' && (data[1] & 0x7f) == ')' && data[2] == 3;
}

/* memray's bytes are the first ones that LZ4 packs, so they are as they were, behind the headers of
 * a frame and of a block, of 7 to 19 and 4 bytes. */
static const char *lz4_kind(const uint8_t *data, size_t len)
{
	return memmem(data, len < 32 ? len : 32, "memray", 6) ?
		       MEMRAY :
		       "compressed by lz4: uncompress it first";
}

/* ELF's e_type, in the file's byte order (ELF ABI, 4, "ELF Header"). */
static const char *elf_kind(const uint8_t *data, size_t len)
{
	enum { DATA = 5, BIG_ENDIAN_DATA = 2, TYPE = 16, CORE = 4 };

	return len > TYPE + 1 && data[TYPE + (data[DATA] == BIG_ENDIAN_DATA)] == CORE ?
		       "a core dump (ELF): `gdb PROGRAM FILE` shows its stacks" :
		       "a program or a library (ELF); to sample a program: sampler -- PROGRAM";
}

const char *kind_of(const void *bytes, size_t len)
{
	const uint8_t *data = bytes;
	struct cursor c;

	if (gzip_detect(data, len) || zstd_detect(data, len))
		return "compressed twice: uncompress it once more";
	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++)
		if (len >= magics[i].len && !memcmp(data, magics[i].bytes, magics[i].len))
			return magics[i].what;
	if (len >= 4 && !memcmp(data,
				"\x7f"
				"ELF",
				4))
		return elf_kind(data, len);
	if (len >= 4 && !memcmp(data, "\x04\x22\x4d\x18", 4))
		return lz4_kind(data, len);
	if (is_pstats(data, len))
		return "a profile of Python's cProfile: `python3 -m pstats FILE` shows it";
	if (is_cpu_of_words(data, len, 4) || is_cpu_of_words(data, len, 8))
		return "a CPU profile of gperftools, or of Go before 1.9: " NAMED;
	if (is_go_trace(data, len))
		return "an execution trace of Go: go tool trace shows it";
	cursor_init(&c, data, len, "archive");
	cursor_bytes(&c, 257); /* POSIX pax(1), "ustar Interchange Format": magic */
	if (cursor_left(&c) >= 5 && !memcmp(c.pos, "ustar", 5))
		return "a tar archive: unpack it first";
	if (is_joined(data, len))
		return "several profiles one behind the other: sampler merge makes one of them if "
		       "each is a file of its own";
	cursor_init(&c, data, len, "profiles");
	if (is_otlp(c))
		return OTLP;
	if (!kind_is_text(data, len < HEAD ? len : HEAD))
		return NULL;
	return text_kind((const char *)data, len < SEEN ? len : SEEN);
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
	if (!what && kind_is_text(data, len < HEAD ? len : HEAD))
		what = "a text of no form that is known here";
	return what ? error_set(err, rc, "%s is no pprof profile, but %s", it, what) : rc;
}
