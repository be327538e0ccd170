/* The rules of the interface. tests/rounds/batch.test is about failures and kills. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "rounds/batch/batch.h"

static char folder[64];
static struct batches *batches;

static void open_folder(void)
{
	struct batches_options o = { .path = folder, .key = "key" };

	strcpy(folder, "/tmp/batch-test-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(batches_open(&batches, &o, NULL), 0);
}

static void remove_folder(void)
{
	char command[96];

	batches_close(batches);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	cr_assert_eq(system(command), 0);
}

TestSuite(batch, .init = open_folder, .fini = remove_folder);

static int entries(void)
{
	DIR *d = opendir(folder);
	int n = -2;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static struct batch *begin(void)
{
	struct batch *batch;

	cr_assert_eq(batch_begin(batches, &batch, NULL), 0);
	return batch;
}

static void assert_size(const char *path, const char *name, off_t want)
{
	char text[512];
	struct stat st;

	snprintf(text, sizeof(text), "%s/%s", path, name);
	cr_assert_eq(stat(text, &st), 0, "%s", text);
	cr_assert_eq(st.st_size, want);
}

Test(batch, appears_at_commit)
{
	struct batch_event e = { .start_ns = 1700000000999999999 };
	struct batch *batch = begin();
	const char *path;

	cr_assert_eq(batches_next(batches), 1);
	cr_assert_eq(batch_add(batch, "cpu.pprof", "hello", 5, NULL), 0);
	cr_assert_eq(batch_add(batch, "empty", NULL, 0, NULL), 0);
	cr_assert_eq(entries(), 2, "the lock, and what is hidden");
	cr_assert_eq(batch_commit(batch, &e, &path, NULL), 0);
	cr_assert_eq(e.sequence, 1);
	cr_assert_str_eq(strrchr(path, '/'), "/000001-20231114T221320Z");
	assert_size(path, "cpu.pprof", 5);
	assert_size(path, "empty", 0);
	batch_free(batch);
	cr_assert_eq(entries(), 2);
	cr_assert_eq(batches_next(batches), 2);
}

Test(batch, leaves_no_trace_when_it_is_not_committed)
{
	struct batch *batch = begin();

	cr_assert_eq(batch_add(batch, "cpu.pprof", "hello", 5, NULL), 0);
	batch_free(batch);
	batch_free(NULL);
	cr_assert_eq(entries(), 1, "the lock");
	batches_close(batches);
	batches = NULL;
	cr_assert_eq(entries(), 0);
}

Test(batch, refuses_names_that_are_paths_or_hide)
{
	static const char *const names[] = { "", ".", "..", ".x", "a/b", "/etc/x", "event.json" };
	struct batch *batch = begin();
	struct error err;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		cr_assert_eq(batch_add(batch, names[i], "x", 1, &err), ERR_USAGE, "%s", names[i]);
	batch_free(batch);
}

/* The first file is not changed. */
Test(batch, refuses_a_second_file_of_a_name)
{
	struct batch_event e = { .start_ns = 1 };
	struct batch *batch = begin();
	struct error err;
	const char *path;

	cr_assert_eq(batch_add(batch, "x", "hello", 5, NULL), 0);
	cr_assert_eq(batch_add(batch, "x", "no", 2, &err), ERR_IO);
	cr_assert_not_null(strstr(err.text, "'x'"), "%s", err.text);
	cr_assert_eq(batch_commit(batch, &e, &path, NULL), 0);
	assert_size(path, "x", 5);
	batch_free(batch);
}

Test(batch, is_one_at_a_time)
{
	struct batch *batch = begin(), *second;

	cr_assert_eq(batch_begin(batches, &second, NULL), ERR_USAGE);
	cr_assert_null(second);
	batch_free(batch);
	batch_free(begin());
}

Test(batch, makes_its_folder_and_no_more)
{
	char path[128];
	struct batches_options o = { .path = path, .key = "other" };
	struct batches *b;
	struct error err;

	snprintf(path, sizeof(path), "%s/new/", folder);
	cr_assert_eq(batches_open(&b, &o, NULL), 0);
	batches_close(b);
	snprintf(path, sizeof(path), "%s/a/b", folder);
	cr_assert_eq(batches_open(&b, &o, &err), ERR_IO);
	cr_assert_null(b);
	cr_assert_not_null(strstr(err.text, "No such file"), "%s", err.text);
	o.path = "/proc/self/status";
	cr_assert_eq(batches_open(&b, &o, &err), ERR_IO);
	cr_assert_not_null(strstr(err.text, "Not a directory"), "%s", err.text);
}
