// links: pprof/file
/* What a file is that is no profile. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/file/read.h"
#include "pprof/profile.h"
#include "pprof/wire/gzip.h"

static const char *said_of(const void *data, size_t len)
{
	static struct error err;
	struct profile p;

	err = (struct error){ 0 };
	cr_assert_eq(profile_init(&p), 0);
	cr_assert_eq(profile_parse(&p, data, len, 0, &err), ERR_FORMAT, "%.20s",
		     (const char *)data);
	cr_assert_eq(err.code, ERR_FORMAT);
	profile_release(&p);
	return err.text;
}

#define SAID(text) said_of(text, sizeof(text) - 1)

static void expect(const char *said, const char *words)
{
	cr_assert(strstr(said, words), "no '%s' in: %s", words, said);
}

/* A JSON file of one line, with `key` behind or before a long value. */
static const char *said_of_long(const char *before, const char *behind)
{
	static struct buffer text;

	buffer_release(&text);
	cr_assert(!buffer_addf(&text, "%s", before));
	for (int i = 0; i < 100000; i++)
		cr_assert(!buffer_add(&text, "x", 1));
	cr_assert(!buffer_addf(&text, "%s", behind));
	return said_of(text.data, text.len);
}

Test(kind, json_of_one_long_line)
{
	expect(said_of_long("{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"", "\"}}]}"),
	       ".cpuprofile");
	expect(said_of_long("{\"nodes\":[\"", "\"],\"timeDeltas\":[]}"), ".cpuprofile");
	expect(said_of_long("{\"head\":{\"callFrame\":{\"functionName\":\"",
			    "\"},\"selfSize\":1}}"),
	       ".heapprofile");
	expect(said_of_long("{\"name\":\"", "\",\"shared\":{\"frames\":[]}}"),
	       "a file of speedscope");
	expect(said_of_long("{\"metadata\":\"", "\",\"traceEvents\":[]}"), "Chrome's format");
	expect(said_of_long("[{\"name\":\"", "\",\"ph\":\"X\",\"ts\":1}]"), "Chrome's format");
	expect(said_of_long("{\"meta\":{\"x\":\"", "\",\"processType\":0},\"threads\":[]}"),
	       "Firefox's profiler");
	expect(said_of_long("{\"a\":\"", "\"}"), "a JSON file");
}

Test(kind, profiles_one_behind_the_other)
{
	/* sample_type { 1 2 }, and the strings "", "a", "b" */
	static const char one[] = "\x0a\x04\x08\1\x10\2\x22\x02\x08\1\x32\0\x32\1a\x32\1b";
	struct buffer two = { 0 };

	for (int i = 0; i < 2; i++)
		cr_assert(!buffer_add(&two, one, sizeof(one) - 1));
	expect(said_of(two.data, two.len), "several profiles one behind the other");
	buffer_release(&two);
}

Test(kind, files_are_called_what_they_are)
{
	expect(SAID(""), "it is empty");
	expect(SAID("PERFILE2\x68\0\0\0"),
	       "it is no pprof profile, but perf's own recording (perf.data): "
	       "`perf report -i`");
	expect(SAID("FLR\0\0\2\0\0"), "Java Flight Recorder");
	expect(SAID("PK\3\4\x14\0"), "a zip archive");
	expect(SAID("\xfd"
		    "7zXZ\0\0\4"),
	       "compressed by xz");
	expect(SAID("\n<!DOCTYPE html>\n<html>"), "an HTML page: open it in a browser");
	expect(SAID("<HTML><body>404"), "an HTML page");
	expect(SAID("<svg xmlns='x'>"), "a picture (SVG)");
	expect(SAID("<?xml version='1.0'?>\n<svg>"), "a picture (SVG)");
	expect(SAID("go 1.22 trace\0\0\0\1\2"), "go tool trace");
	expect(SAID("goroutine 1 [running]:\nmain.main()\n"), "sampler goparse FILE reads it");
	expect(SAID("panic: x\n\ngoroutine 1 [running]:\n"), "sampler goparse FILE reads it");
	expect(SAID("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"}"),
	       "a file of speedscope");
	expect(SAID("{\"traceEvents\":[]}"), "Chrome's format");
	expect(SAID("{\"nodes\":[],\"timeDeltas\":[]}"), ".cpuprofile");
	expect(SAID("{\"a\": 1}"), "a JSON file");
	expect(SAID("SIGQUIT: quit\nPC=0x1 m=0\n\ngoroutine 0 gp=0x5471c0 m=0 mp=0x547f80 [idle]:\n"),
	       "a dump of goroutines");
	expect(SAID("panic: x\n\ngoroutine 58 [running]:\n"), "a dump of goroutines");
	expect(SAID("{\"log\":\"goroutine 58 [running]:\\n\"}\n"), "a dump of goroutines");
	expect(SAID("\xff\xfeg\0o\0"), "a text in UTF-16");
	expect(SAID("version https://git-lfs.github.com/spec/v1\noid sha256:a\nsize 1\n"),
	       "git lfs pull");
	expect(SAID("a 0 [000] 123.456789: 250000 cpu-clock:pppH: \n\tffff81a2 f+0x4 (/x)\n"),
	       "perf script");
	expect(SAID("# cmdline\n#\na b 42/43 cycles: \n        55f0c2aa main+0x12 (/x)\n"),
	       "perf script");
	expect(SAID("a 1234 123.456789: 250000 cycles:  ffff81a2 f ([kernel.kallsyms])\n"),
	       "perf script");
	expect(SAID("a: b: c\n"), "a text of no form");
	expect(SAID("\x1f\xef\xbf\xbd\x08\0\0\0"), "what was not UTF-8 is lost");
	expect(SAID("\x1f\xc2\x8b\x08\0\0\0"), "iconv");
	expect(SAID("--- symbol\nbinary=/bin/x\n---\n--- heap\n"), "jeprof");
	expect(SAID("main;f;g 12\nmain;h 3\n"), "folded stacks");
	expect(SAID("# callgrind format\nversion: 1\n"), "callgrind_annotate");
	expect(SAID("What is this?\n"), "a text of no form that is known here");
	expect(SAID("\x0a\x05\x08\x01"), "offset 2"); /* a broken profile, or unknown bytes */
}

#define IN_USE "heap profile:  1:  100 [ 1:  100] @ "

Test(kind, what_allocators_write)
{
	static const char cpu[] = "\0\0\0\0\0\0\0\3\0\0\0\0\0\0\x27\x10\0\0\0";
	uint64_t words[] = { 0, 3, 0, 10000, 0, 0, 1, 0 };

	expect(SAID(IN_USE "heap_v2/524288\n1: 1 [1: 1] @ 0x1\n"), "tcmalloc or jemalloc");
	expect(SAID(IN_USE "heapprofile\n"), "`pprof -proto PROGRAM FILE >OUT`");
	expect(SAID(IN_USE "growthz\n"), "tcmalloc or jemalloc");
	expect(SAID("heap profile: 1: 8 [1: 8] @ heap/2\n1: 8 [1: 8] @ 0x1\n\nMAPPED_LIBRARIES:\n"),
	       "tcmalloc or jemalloc");
	expect(SAID("heap profile: 1: 8 [1: 8] @ heap/2\n1: 8\n"), "line 2: is no sample");
	expect(SAID("heap_v2/524288\n  t*: 1: 8 [0: 0]\n@ 0x1\n"), "`jeprof PROGRAM FILE`");
	expect(SAID("--- contentionz 1 ---\ncycles/second = 1\n"), "gperftools");
	expect(said_of(cpu, sizeof(cpu)), "a CPU profile of gperftools");
	expect(said_of(words, sizeof(words)), "a CPU profile of gperftools");
	words[3] = 0;
	expect(said_of(words, sizeof(words)), "unknown wire type");
}

Test(kind, elf_by_its_type)
{
	char elf[64] = "\x7f"
		       "ELF\2\1\1";

	elf[16] = 3; /* ET_DYN */
	expect(said_of(elf, sizeof(elf)),
	       "a program or a library (ELF); to sample a program: sampler --");
	elf[16] = 4;
	expect(said_of(elf, sizeof(elf)), "a core dump (ELF): `gdb PROGRAM FILE`");
	elf[5] = 2; /* the other byte order */
	elf[16] = 0;
	elf[17] = 4;
	expect(said_of(elf, sizeof(elf)), "a core dump");
	expect(said_of(elf, 5), "a program or a library");
}

Test(kind, recordings_of_other_profilers)
{
	expect(SAID("FLR\0\0\2\0\0"), "`jfrconv FILE out.pb.gz` makes a pprof profile");
	expect(SAID("Nettrace\x14\0\0\0!FastSerialization.1"), "dotnet-trace convert");
	expect(SAID("memray\0\r\0\0\0"), "memray flamegraph FILE");
	expect(SAID("\x04\x22\x4d\x18\x40\x40\xc0\xfe\x41\0\0\xf9\x05memray\0\r"),
	       "memray flamegraph FILE");
	expect(SAID("\x04\x22\x4d\x18\x40\x40\xc0\xfe\x41\0\0\xf9\x05sonsts\0\r"),
	       "compressed by lz4");
	expect(SAID("\xfb)\3\xfa\x0b/usr/lib.py"), "python3 -m pstats FILE");
	expect(SAID("{\xa9\3z\x0b/usr/lib.py"), "python3 -m pstats FILE");
	expect(SAID("gmon\1\0\0\0"), "gprof PROGRAM FILE");
	expect(SAID("JAVA PROFILE 1.0.2\0"), "Memory Analyzer");
	expect(SAID("v8-version,11,3,244\n"), "node --prof-process FILE");
	expect(SAID("v 10400 3\nX /bin/ls\nI 1000 5e2921\n"), "heaptrack_print FILE");
	expect(SAID("desc: (none)\ncmd: /bin/ls\ntime_unit: i\n"), "ms_print");
	expect(SAID("desc: I1 cache: 32768 B\ncmd: ls\nevents: Ir I1mr\nfl=a.c\n"), "cg_annotate");
	expect(SAID("version: 1\ncreator: xdebug 3.2.0 (PHP 8.2)\n"), "callgrind_annotate");
	expect(SAID("{\"dhatFileVersion\":2\n,\"mode\":\"heap\"}"), "dh_view.html");
	expect(SAID("{\"snapshot\":{\"meta\":{}},\"strings\":[\"<svg\"]}"),
	       "a heap snapshot of V8");
	expect(SAID("{\"resourceProfiles\":[]}"), "OpenTelemetry's form");
	expect(SAID("{\"flamebearer\":{\"names\":[]}}"), "profilecli query profile");
	expect(SAID("2026-11-30 06:55:51\nFull thread dump OpenJDK 64-Bit Server VM\n"), "jstack");
	expect(SAID("[3.345s][info]\nFull thread dump OpenJDK 64-Bit Server VM\n"), "jstack");
}

/* ProfilesData: resource_profiles { } and dictionary { }; a profile has a table of strings. */
Test(kind, opentelemetrys_form)
{
	expect(SAID("\x0a\x02\x12\x00\x12\x02\x0a\x00"), "OpenTelemetry's form");
	expect(SAID("\x0a\x02\x12\x00\x12\x02\x0a"), "offset"); /* cut off */
}

Test(kind, what_profilers_print)
{
	expect(SAID("File: g\nType: cpu\nShowing nodes accounting for 650ms\n"),
	       "pprof or sampler");
	expect(SAID("File: g, Type: cpu\nDuration: 1s, Total samples = 3ms (1%)\n"),
	       "pprof or sampler prints: the profile that it was made from");
	expect(SAID("Total: 650ms\nROUTINE ======== f in g.go\n"), "pprof or sampler");
	expect(SAID("PeriodType: cpu nanoseconds\nPeriod: 1\nSamples:\ncpu/ns\n"),
	       "pprof or sampler");
	expect(SAID("digraph \"g\" {\nShowing nodes accounting for\n"), "dot -Tsvg");
	expect(SAID("process 12 \"bash\", 1 thread\n\nthread 12 \"bash\"\n"),
	       "`sampler dump` prints");
	expect(SAID("{\"pid\":12,\"threads\":[{\"tid\":12,\"waits_for\":null}]}"),
	       "sampler dump --json");
}

Test(kind, folded_stacks_begin_with_any_line)
{
	expect(SAID("main 3\nmain;f 4\n"), "folded stacks");
	expect(SAID("[not sampled] 3\nmain;f 4\nmain;g"), "folded stacks"); /* cut off */
	expect(SAID("main;f 4\nand prose;\nmain;f 4\n"), "a text of no form");
	expect(SAID("main 3\nf 4\n"), "a text of no form");
	expect(SAID("[New Thread 3]\n"), "a text of no form");
}

Test(kind, a_tar_archive)
{
	char tar[512] = "name";

	memcpy(tar + 257, "ustar", 5);
	expect(said_of(tar, sizeof(tar)), "a tar archive");
}

static int append(void *out, const void *data, size_t len, struct error *err)
{
	(void)err;
	return buffer_add(out, data, len);
}

Test(kind, compressed_bytes_are_looked_into)
{
	struct buffer once = { 0 }, twice = { 0 };

	cr_assert_eq(gzip_compress("PERFILE2", 8, append, &once, NULL), 0);
	expect(said_of(once.data, once.len),
	       "uncompressed, it is no pprof profile, but perf's own");
	cr_assert_eq(gzip_compress(once.data, once.len, append, &twice, NULL), 0);
	expect(said_of(twice.data, twice.len),
	       "uncompressed, it is no pprof profile, but compressed twice");
	once.len = 0;
	cr_assert_eq(gzip_compress("", 0, append, &once, NULL), 0);
	expect(said_of(once.data, once.len), "uncompressed, it is empty");
	buffer_release(&once);
	buffer_release(&twice);
}
