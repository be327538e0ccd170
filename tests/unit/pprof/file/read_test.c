/* Files are written and read back; errors name them. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "pprof/file/read.h"
#include "pprof/profile.h"
#include "pprof/wire/encode.h"
#include "tests/unit/pprof/full.h"

static char path[64];

static void make_file(void)
{
	strcpy(path, "/tmp/read-test-XXXXXX");
	close(mkstemp(path));
}

static void remove_file(void)
{
	unlink(path);
}

static void write_bytes(const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	cr_assert_eq(write(fd, data, len), (ssize_t)len);
	close(fd);
}

static void write_profile(void)
{
	struct profile p;
	struct outfile f;

	fill_profile(&p);
	cr_assert_eq(outfile_open(&f, path, NULL), 0);
	cr_assert_eq(profile_write(&p, &f, NULL), 0);
	cr_assert_eq(outfile_commit(&f, NULL), 0);
	profile_release(&p);
}

static int read_profile(size_t max, struct error *err)
{
	struct profile p;
	int rc;

	profile_init(&p);
	rc = profile_read(&p, path, max, err);
	cr_assert(rc || p.sample_count == 2);
	profile_release(&p);
	return rc;
}

Test(read, what_was_written, .init = make_file, .fini = remove_file)
{
	struct error err = { 0 };

	write_profile();
	cr_assert_eq(read_profile(0, &err), 0, "%s", err.text);
}

Test(read, same_profile_same_file, .init = make_file, .fini = remove_file)
{
	char one[4096], two[4096];
	ssize_t len;
	int fd;

	write_profile();
	fd = open(path, O_RDONLY);
	len = read(fd, one, sizeof(one));
	close(fd);
	write_profile();
	fd = open(path, O_RDONLY);
	cr_assert_eq(read(fd, two, sizeof(two)), len);
	cr_assert_arr_eq(one, two, (size_t)len);
	close(fd);
}

/* The pieces together are what profile_encode returns as a whole. */
Test(read, plain_files_are_written_in_pieces, .init = make_file, .fini = remove_file)
{
	enum { SAMPLES = 100000 };
	struct buffer whole = { 0 };
	struct profile p, q;
	struct outfile f;
	struct stat st;
	uint8_t *have;

	fill_profile(&p);
	for (int64_t i = 0; i < SAMPLES; i++)
		profile_add_sample(&p, (const uint32_t[]){ 1, 2 }, 2, (const int64_t[]){ i, -i },
				   NULL, 0);
	cr_assert_eq(profile_encode(&p, &whole, NULL), 0);
	cr_assert_eq(outfile_open(&f, path, NULL), 0);
	cr_assert_eq(profile_write_plain(&p, &f, NULL), 0);
	cr_assert_eq(outfile_commit(&f, NULL), 0);
	cr_assert_eq(stat(path, &st), 0);
	cr_assert_eq((size_t)st.st_size, whole.len);
	have = malloc(whole.len);
	cr_assert_eq(read(open(path, O_RDONLY), have, whole.len), (ssize_t)whole.len);
	cr_assert_eq(memcmp(have, whole.data, whole.len), 0);
	profile_init(&q);
	cr_assert_eq(profile_read(&q, path, 0, NULL), 0);
	cr_assert_eq(q.sample_count, SAMPLES + 2);
	free(have);
	buffer_release(&whole);
	profile_release(&p);
	profile_release(&q);
}

/* The length of a pipe is not known beforehand. */
Test(read, a_pipe)
{
	struct buffer whole = { 0 };
	struct profile p, q;
	int ends[2];

	fill_profile(&p);
	cr_assert_eq(profile_encode(&p, &whole, NULL), 0);
	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(write(ends[1], whole.data, whole.len), (ssize_t)whole.len);
	close(ends[1]);
	cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	profile_init(&q);
	cr_assert_eq(profile_read(&q, "-", whole.len, NULL), 0);
	cr_assert_eq(q.sample_count, 2);
	buffer_release(&whole);
	profile_release(&p);
	profile_release(&q);
}

Test(read, uncompressed, .init = make_file, .fini = remove_file)
{
	struct buffer bytes = { 0 };
	struct profile p;

	fill_profile(&p);
	profile_encode(&p, &bytes, NULL);
	write_bytes(bytes.data, bytes.len);
	cr_assert_eq(read_profile(0, NULL), 0);
	cr_assert_eq(read_profile(bytes.len, NULL), 0);
	cr_assert_eq(read_profile(bytes.len - 1, NULL), ERR_LIMIT);
	buffer_release(&bytes);
	profile_release(&p);
}

Test(read, standard_input, .init = make_file, .fini = remove_file)
{
	struct profile p;

	write_profile();
	cr_assert_eq(dup2(open(path, O_RDONLY), STDIN_FILENO), STDIN_FILENO);
	profile_init(&p);
	cr_assert_eq(profile_read(&p, "-", 0, NULL), 0);
	cr_assert_eq(p.sample_count, 2);
	profile_release(&p);
}

static void assert_refused(size_t max, int code, const char *message)
{
	struct error err = { 0 };
	char want[256];

	snprintf(want, sizeof(want), "'%s': %s", path, message);
	cr_assert_eq(read_profile(max, &err), code, "%s", err.text);
	cr_assert_str_eq(err.text, want);
}

Test(read, says_why_not, .init = make_file, .fini = remove_file)
{
	struct error err = { 0 };

	assert_refused(
		0, ERR_FORMAT,
		"it is empty: the program that wrote it had no profile, or was ended before it was done; take the profile again");
	write_bytes("\x1f\x8b\x08", 3);
	assert_refused(0, ERR_FORMAT, "gzip data ends too early at offset 3");
	write_bytes("\x1f\x8b\x09\0\0\0\0\0\0\0\0", 11);
	assert_refused(0, ERR_FORMAT, "broken gzip data at offset 4");
	write_profile();
	assert_refused(50, ERR_LIMIT, "more than 50 bytes");
	assert_refused(341, ERR_LIMIT, "more than 341 bytes when uncompressed");
	unlink(path);
	mkdir(path, 0700);
	assert_refused(0, ERR_IO, "cannot read: Is a directory");
	rmdir(path);
	cr_assert_eq(profile_read(NULL, "/no/file", 0, &err), ERR_IO);
	cr_assert_str_eq(err.text, "cannot read '/no/file': No such file or directory");
}

Test(read, full_disk_is_an_error)
{
	struct error err = { 0 };
	struct profile p;
	struct outfile f;

	fill_profile(&p);
	cr_assert_eq(outfile_open(&f, "/dev/full", NULL), 0);
	cr_assert_eq(profile_write(&p, &f, &err), ERR_IO);
	cr_assert_str_eq(err.text, "cannot write '/dev/full': No space left on device");
	outfile_abort(&f);
	cr_assert_eq(outfile_open(&f, "/dev/full", NULL), 0);
	cr_assert_eq(profile_write_plain(&p, &f, &err), ERR_IO);
	outfile_abort(&f);
	profile_release(&p);
}
