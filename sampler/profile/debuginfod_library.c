/*
 * libdebuginfod implements the protocol, the cache and all variables (debuginfod-client-config(7)).
 * It is loaded when it is needed, so that no other process has it and libcurl.
 *
 * Rejected: the program debuginfod-find, which Debian ships with the server only; libcurl and a
 * cache of our own, which would implement all that a second time.
 */
#ifndef SAMPLER_STATIC
#include "sampler/profile/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct debuginfod {
	void *client;
	debuginfod_progress *progress;
	void *(*begin)(void);
	void (*end)(void *client);
	int (*find)(void *client, const unsigned char *build_id, int build_id_len, char **path);
	void (*set_progress)(void *client, int (*progress)(void *client, long a, long b));
};

/* One, because the library's callback is passed no argument of ours. */
static struct debuginfod the;

/* While the library looks for a server, the numbers count its steps. */
static int debuginfod_library_on_progress(void *client, long a, long b)
{
	(void)client;
	the.progress(a, b);
	return 0;
}

/* Debian's libdebuginfod1 has the library only under the name with the version. */
static bool debuginfod_library_load(void)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return false;
	*(void **)&the.begin = dlsym(library, "debuginfod_begin");
	*(void **)&the.end = dlsym(library, "debuginfod_end");
	*(void **)&the.find = dlsym(library, "debuginfod_find_debuginfo");
	*(void **)&the.set_progress = dlsym(library, "debuginfod_set_progressfn");
	return the.begin && the.end && the.find && the.set_progress;
}

struct debuginfod *debuginfod_new(debuginfod_progress *progress, char *why, size_t size)
{
	the.client = debuginfod_library_load() ? the.begin() : NULL;
	if (!the.client) {
		snprintf(why, size, "libdebuginfod.so.1 cannot be loaded");
		return NULL;
	}
	the.progress = progress;
	the.set_progress(the.client, debuginfod_library_on_progress);
	return &the;
}

void debuginfod_free(struct debuginfod *d)
{
	d->end(d->client);
}

int debuginfod_fetch(struct debuginfod *d, const char *build_id, char *why, size_t size)
{
	int fd = d->find(d->client, (const unsigned char *)build_id, 0, NULL); /* 0: hex digits */

	if (fd >= 0)
		return fd;
	snprintf(why, size, "%s", fd == -ENOENT ? "no server has it" : strerror(-fd));
	return -1;
}
#endif
