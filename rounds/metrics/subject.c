/* A program is identified by when its process began and where its stack starts, since an exec keeps
 * the former and changes the latter. */
#include "rounds/metrics/subject.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/process/image.h"
#include "runtimes/go/find/buildinfo.h"
#include "rounds/metrics/metrics.h"

/* Reads what is known of the program that the process runs now: an exec may have replaced it. */
static void read_program(struct subject *s)
{
	int fd = process_openat(&s->process, "exe", O_RDONLY);
	struct image *image = NULL;

	process_read_exe(&s->process);
	s->build_id[0] = s->go[0] = '\0';
	if (fd < 0 || image_open(fd, "exe", &image, NULL))
		return;
	snprintf(s->build_id, sizeof(s->build_id), "%s", image_build_id(image));
	if (!gobuildinfo_version(image, s->go, sizeof(s->go)))
		s->go[0] = '\0';
	image_free(image);
}

struct subject_program subject_program_of(const struct process *p)
{
	struct buffer text = { 0 };
	struct subject_program program = { 0 };
	uint64_t fields[STAT_FIELDS];

	if (p->pid && !process_read(p, "stat", &text, NULL) &&
	    process_stat_parse(text.data, text.len, STAT_STARTSTACK, fields)) {
		program.began = fields[STAT_STARTTIME];
		program.stack = fields[STAT_STARTSTACK];
	}
	buffer_release(&text);
	return program;
}

bool subject_program_same(const struct subject_program *a, const struct subject_program *b)
{
	return a->began == b->began && a->stack == b->stack;
}

/* A PID is unique within its namespace only, and containers may share a folder. */
static void subject_make_key(struct subject *s, const char *key)
{
	struct stat own = { 0 };

	stat("/proc/self/ns/pid", &own);
	if (s->process.pid)
		snprintf(s->key, sizeof(s->key), "pid-%d-%llu-%llu", s->process.pid,
			 s->program.began, (unsigned long long)own.st_ino);
	else
		snprintf(s->key, sizeof(s->key), "%s", key ? key : "");
}

int subject_open(struct subject *s, pid_t pid, const char *key, bool metrics, struct error *err)
{
	int rc = 0;

	*s = (struct subject){ .process = { .proc_fd = -1, .pid_fd = -1, .root_fd = -1 } };
	if (pid)
		rc = process_open(&s->process, pid, err);
	if (rc) {
		s->process.pid = 0;
		return rc;
	}
	s->program = subject_program_of(&s->process);
	subject_make_key(s, key);
	if (!pid)
		return 0;
	read_program(s);
	return metrics ? metrics_new(&s->metrics, pid, err) : 0;
}

int subject_look(struct subject *s)
{
	if (!s->process.pid)
		return 0;
	process_read_ids(&s->process); /* it may have changed its user, */
	process_read_comm(
		&s->process); /* and a program that begins has its memory before its name */
	return resource_read(&s->resource, &s->process, s->go);
}

int subject_fd(const struct subject *s)
{
	return s->process.pid ? s->process.pid_fd : -1;
}

bool subject_renew(struct subject *s)
{
	struct subject_program program = subject_program_of(&s->process);

	if (!program.stack || program.stack == s->program.stack)
		return false;
	s->program = program;
	process_read_comm(&s->process);
	read_program(s);
	resource_release(&s->resource);
	return true;
}

bool subject_alive(const struct subject *s)
{
	return !s->process.pid || process_alive(&s->process);
}

void subject_close(struct subject *s)
{
	if (s->process.pid)
		process_close(&s->process);
	metrics_free(s->metrics);
	resource_release(&s->resource);
	*s = (struct subject){ .process = { .proc_fd = -1, .pid_fd = -1, .root_fd = -1 } };
}
