/*
 * A temporary folder in which a test writes sources, compiles them and runs other tools on the
 * result. Each Criterion test is a process of its own, so the folder is its working directory.
 */
#ifndef TESTS_UNIT_SYMBOLIZE_WORKSHOP_H
#define TESTS_UNIT_SYMBOLIZE_WORKSHOP_H

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/process/image.h"

static char workshop_dir[256];

static inline void workshop_enter(void)
{
	snprintf(workshop_dir, sizeof(workshop_dir), "/tmp/sampler-symbolize-XXXXXX");
	cr_assert_not_null(mkdtemp(workshop_dir));
	cr_assert_eq(chdir(workshop_dir), 0);
	unsetenv("DEBUGINFOD_URLS");
}

/* Runs a command, formatted as by printf, without its output. Returns what system(3) returns. */
__attribute__((format(printf, 1, 2))) static inline int run_status(const char *fmt, ...)
{
	char command[2048];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(command, sizeof(command), fmt, args);
	va_end(args);
	cr_assert((size_t)len + 20 < sizeof(command));
	snprintf(command + len, sizeof(command) - (size_t)len, " >/dev/null 2>&1");
	return system(command);
}

#define run(...) (run_status(__VA_ARGS__) == 0)

static inline void workshop_leave(void)
{
	if (chdir("/") == 0)
		run_status("rm -rf %s", workshop_dir);
}

static inline bool have(const char *tool)
{
	return run("command -v %s", tool);
}

/* Skips the test, by name, if the tool is missing. */
static inline void need(const char *tool)
{
	if (have(tool))
		return;
	workshop_leave();
	cr_skip_test("%s is not installed", tool);
}

static inline void write_file(const char *path, const void *data, size_t len)
{
	FILE *f = fopen(path, "wb");

	cr_assert_not_null(f);
	cr_assert_eq(fwrite(data, 1, len, f), len);
	cr_assert_eq(fclose(f), 0);
}

static inline struct image *open_image(const char *name)
{
	struct image *image = NULL;
	char path[512];

	snprintf(path, sizeof(path), "%s%s%s", *name == '/' ? "" : workshop_dir,
		 *name == '/' ? "" : "/", name);
	cr_assert_eq(image_open(open(path, O_RDONLY | O_CLOEXEC), path, &image, NULL), 0, "%s",
		     path);
	return image;
}

#endif
