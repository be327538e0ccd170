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

Test(kind, files_are_called_what_they_are)
{
	expect(SAID(""), "it is empty");
	expect(SAID("PERFILE2\x68\0\0\0"),
	       "it is no profile, but perf's own recording (perf.data): "
	       "`perf report -i`");
	expect(SAID("\x7f"
		    "ELF\2\1\1\0"),
	       "(ELF); to sample a program: sampler -- PROGRAM");
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
	expect(SAID("main;f;g 12\nmain;h 3\n"), "folded stacks");
	expect(SAID("# callgrind format\nversion: 1\n"), "callgrind_annotate");
	expect(SAID("What is this?\n"), "a text of no form that is known here");
	expect(SAID("\x0a\x05\x08\x01"), "offset 2"); /* a broken profile, or unknown bytes */
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
	expect(said_of(once.data, once.len), "uncompressed, it is no profile, but perf's own");
	cr_assert_eq(gzip_compress(once.data, once.len, append, &twice, NULL), 0);
	expect(said_of(twice.data, twice.len),
	       "uncompressed, it is no profile, but compressed twice");
	once.len = 0;
	cr_assert_eq(gzip_compress("", 0, append, &once, NULL), 0);
	expect(said_of(once.data, once.len), "uncompressed, it is empty");
	buffer_release(&once);
	buffer_release(&twice);
}
