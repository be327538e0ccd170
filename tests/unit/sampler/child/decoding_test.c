/* The work is done again when its process dies; in the end there is a result. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/outfile.h"
#include "base/process/image.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "sampler/child/decoding.h"
#include "sampler/child/sandbox.h"
#include "symbolize/symbolizer.h"

struct scene {
	int runs;   /* so far; the scene is shared with the children */
	int deaths; /* how many of the first runs die */
	int rc;
	bool writes_first, looks_up;
	pid_t last;
};

static struct scene *scene;
static struct process self;
static struct modmap *maps;
static struct decoding *d;
static struct outfile file;
static char folder[64], path[96];

static void enter(void)
{
	scene = sandbox_share(sizeof(*scene));
	strcpy(folder, "/tmp/decoding-test-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/out", folder);
	cr_assert(!process_open(&self, getpid(), NULL) && !modmap_new(&maps, &self) &&
		  !modmap_refresh(maps, NULL));
	cr_assert_eq(decoding_new(&d, maps, NULL), 0);
	cr_assert_eq(outfile_open(&file, path, NULL), 0);
}

static void leave(void)
{
	outfile_abort(&file);
	decoding_free(d);
	modmap_free(maps);
	process_close(&self);
	unlink(path);
	cr_assert_eq(rmdir(folder), 0);
	sandbox_unshare(scene, sizeof(*scene));
}

TestSuite(decoding, .init = enter, .fini = leave);

static const struct image *our_image(void)
{
	return modmap_find(maps, (uint64_t)(uintptr_t)&decoding_run)->image;
}

static int work(void *ctx, struct decode_result *result, struct error *err)
{
	struct symbolizer *s;
	struct symbol symbol;

	(void)ctx;
	scene->runs++;
	scene->last = getpid();
	if (symbolizer_new(&s, &self, 0) || decoding_watch(d, s))
		return error_set(err, ERR_NOMEM, "out of memory");
	if (scene->looks_up && symbolizer_lookup(s, our_image(), 0, &symbol))
		return error_set(err, ERR_NOMEM, "out of memory");
	if (scene->writes_first) {
		decoding_before_writing(d, &s, 1);
		outfile_write(&file, "half", 4, NULL);
	}
	if (scene->runs <= scene->deaths)
		socket(AF_UNIX, SOCK_STREAM, 0);
	decoding_before_writing(d, &s, 1);
	symbolizer_free(s);
	outfile_write(&file, "whole", 5, NULL);
	result->written = 5;
	return scene->rc ? error_set(err, scene->rc, "as told") : 0;
}

static void assert_written(off_t bytes)
{
	struct stat st;

	cr_assert_eq(file.written, (uint64_t)bytes);
	cr_assert(!outfile_commit(&file, NULL) && !stat(path, &st));
	cr_assert_eq(st.st_size, bytes);
}

Test(decoding, is_done_in_another_process)
{
	scene->looks_up = true;
	cr_assert_eq(decoding_run(d, &file, work, NULL, NULL), 0);
	cr_assert_eq(scene->runs, 1);
	cr_assert_neq(scene->last, getpid());
	cr_assert_null(decoding_warning(d, 0));
	cr_assert(strstr(decoding_note(d, our_image()), "functions from"));
	assert_written(5);
}

Test(decoding, leaves_all_out_when_no_image_is_to_blame)
{
	scene->deaths = 1;
	scene->writes_first = scene->looks_up = true;
	cr_assert_eq(decoding_run(d, &file, work, NULL, NULL), 0);
	cr_assert_eq(scene->runs, 2);
	cr_assert(strstr(decoding_warning(d, 0),
			 "all symbols are left out: the process that decodes "
			 "aborted, or tried a forbidden system call"));
	cr_assert_null(decoding_warning(d, 1));
	cr_assert_str_eq(decoding_note(d, our_image()), "none, all were left out");
	cr_assert(decoding_lost_cpu_ns(d) > 0);
	scene->writes_first = false;
}

Test(decoding, is_done_by_us_in_the_end)
{
	scene->deaths = 2;
	cr_assert_eq(decoding_run(d, &file, work, NULL, NULL), 0);
	cr_assert_eq(scene->runs, 3);
	cr_assert_eq(scene->last, getpid());
	assert_written(5);
}

Test(decoding, takes_back_what_was_half_written)
{
	scene->deaths = 1;
	scene->writes_first = true;
	cr_assert_eq(decoding_run(d, &file, work, NULL, NULL), 0);
	cr_assert_eq(lseek(file.fd, 0, SEEK_CUR), 9, "the second run's, from the start");
}

Test(decoding, cannot_take_back_from_a_pipe)
{
	struct error err = { 0 };
	int ends[2], old = file.fd;

	cr_assert_eq(pipe(ends), 0);
	file.fd = ends[1];
	scene->deaths = 1;
	scene->writes_first = true;
	cr_assert_eq(decoding_run(d, &file, work, NULL, &err), ERR_IO);
	cr_assert(strstr(err.text, "died in the middle"), "%s", err.text);
	file.fd = old;
}

Test(decoding, an_error_is_handed_on)
{
	struct error err = { 0 };

	scene->rc = ERR_IO;
	cr_assert_eq(decoding_run(d, &file, work, NULL, &err), ERR_IO);
	cr_assert_str_eq(err.text, "as told");
	cr_assert_eq(scene->runs, 1);
}

Test(decoding, without_memory_it_is_tried_without_symbols)
{
	struct error err = { 0 };

	scene->rc = ERR_NOMEM;
	cr_assert_eq(decoding_run(d, &file, work, NULL, &err), ERR_NOMEM);
	cr_assert_eq(scene->runs, 2);
	cr_assert(strstr(decoding_warning(d, 0), "ran out of memory"));
}
