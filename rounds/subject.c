#include "rounds/subject.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/error.h"
#include "rounds/metrics.h"
#include "target/image.h"

/* Of the program as it is now: after an exec it may be another. */
static void read_build_id(struct subject *s)
{
	int fd = process_openat(&s->process, "exe", O_RDONLY);
	struct image *image = NULL;

	*s->build_id = '\0';
	if (fd < 0 || image_open(fd, "exe", &image, NULL))
		return;
	snprintf(s->build_id, sizeof(s->build_id), "%s", image_build_id(image));
	image_free(image);
}

void subject_refresh(struct subject *s)
{
	if (!s->process.pid)
		return;
	process_read_comm(&s->process);
	read_build_id(s);
}

/* Field 22 of /proc/PID/stat, behind the name, which may hold anything (proc(5)). */
static unsigned long long start_time(const struct process *p)
{
	struct buffer text = { 0 };
	unsigned long long start = 0;
	char *at = NULL;

	if (!process_read(p, "stat", &text, NULL) && !buffer_add(&text, "", 1))
		at = strrchr((char *)text.data, ')');
	if (at && sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
			 "%*d %*d %*d %llu", &start) != 1)
		start = 0;
	buffer_release(&text);
	return start;
}

/* Numbers of processes mean something in a namespace only, and containers may share a folder. */
static unsigned long long own_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : (unsigned long long)st.st_ino;
}

static void make_key(struct subject *s, const char *key)
{
	if (key)
		snprintf(s->key, sizeof(s->key), "%s", key);
	else if (s->process.pid)
		snprintf(s->key, sizeof(s->key), "pid-%d-%llu-%llu", s->process.pid,
			 start_time(&s->process), own_namespace());
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
	make_key(s, key);
	if (!pid)
		return 0;
	subject_refresh(s);
	return metrics ? metrics_new(&s->metrics, pid, err) : 0;
}

int subject_fd(const struct subject *s)
{
	return s->process.pid ? s->process.pid_fd : -1;
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
	*s = (struct subject){ .process = { .proc_fd = -1, .pid_fd = -1, .root_fd = -1 } };
}
