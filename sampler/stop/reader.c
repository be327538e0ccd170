/* A read's bytes come into a block that belongs to the copier if it is given up, and are scattered
 * to the caller's pieces afterwards. A lost block is replaced by a new one at the next read. */
#include "sampler/stop/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "sampler/stop/copier.h"

enum { ROOM_FIRST = 64 << 10 };

/* What a read needs, in memory that its copier keeps if it is given up. */
struct reader_block {
	pid_t pid;
	struct iovec remote[MEMORY_PIECES_MAX];
	size_t remotes, len, room;
	char bytes[];
};

struct reader_reading {
	struct reader_block *block;
	ssize_t got;
	int error;
};

struct reader {
	struct memory_reader memory; /* first */
	struct copiers *copiers;
	struct reader_block *block; /* NULL: a new one is needed */
	const void *of;
	uint64_t stuck;
};

static void read_block(void *args)
{
	struct reader_reading *r = args;
	struct reader_block *b = r->block;
	struct iovec local = { b->bytes, b->len };

	r->got = memory_live_call(b->pid, &local, 1, b->remote, b->remotes);
	r->error = errno;
}

static void reader_left(const void *args)
{
	(void)args;
}

static void reader_back(const void *args)
{
	free(((const struct reader_reading *)args)->block);
}

static const struct copier_loss loss = { reader_left, reader_back };

static size_t reader_sum(const struct iovec *of, size_t count)
{
	size_t len = 0;

	for (size_t i = 0; i < count; i++)
		len += of[i].iov_len;
	return len;
}

static struct reader_block *reader_block_of(struct reader *r, size_t len)
{
	size_t room = len > ROOM_FIRST ? len : ROOM_FIRST;

	if (r->block && len <= r->block->room)
		return r->block;
	free(r->block);
	r->block = malloc(sizeof(*r->block) + room);
	if (r->block)
		r->block->room = room;
	return r->block;
}

static void scatter(const char *bytes, size_t len, const struct iovec *local, size_t locals)
{
	for (size_t i = 0; i < locals && len; i++) {
		size_t part = len < local[i].iov_len ? len : local[i].iov_len;

		memcpy(local[i].iov_base, bytes, part);
		bytes += part;
		len -= part;
	}
}

static ssize_t reader_fail(int error)
{
	errno = error;
	return -1;
}

static ssize_t read_by_copier(struct memory_reader *memory, pid_t pid, const struct iovec *local,
			      size_t locals, const struct iovec *remote, size_t remotes)
{
	struct reader *r = (struct reader *)memory;
	struct reader_reading reading = { .block = reader_block_of(r, reader_sum(local, locals)) };
	struct copier_job job = { .run = read_block,
				  .args = &reading,
				  .size = sizeof(reading),
				  .of = r->of ? r->of : (const void *)(intptr_t)pid,
				  .tid = pid,
				  .ns = READER_NS };
	enum copy copy;

	if (!reading.block || remotes > MEMORY_PIECES_MAX || !copiers_ready(r->copiers))
		return reader_fail(EIO);
	reading.block->pid = pid;
	reading.block->len = reader_sum(local, locals);
	reading.block->remotes = remotes;
	memcpy(reading.block->remote, remote, remotes * sizeof(*remote));
	copy = copiers_run(r->copiers, &job);
	if (copy == COPY_STUCK) {
		r->block = NULL;
		r->stuck++;
	}
	if (copy != COPY_DONE)
		return reader_fail(EIO);
	if (reading.got < 0)
		return reader_fail(reading.error);
	scatter(reading.block->bytes, (size_t)reading.got, local, locals);
	return reading.got;
}

int reader_new(struct reader **out, struct error *err)
{
	struct reader *r = calloc(1, sizeof(*r));

	if (!r || copiers_new(&r->copiers, &loss, err)) {
		free(r);
		return error_nomem(err);
	}
	r->memory.read = read_by_copier;
	*out = r;
	return 0;
}

void reader_free(struct reader *r)
{
	if (!r)
		return;
	copiers_free(r->copiers);
	free(r->block);
	free(r);
}

void reader_use(struct reader *r)
{
	memory_live_reads_by(r ? &r->memory : NULL);
}

void reader_reads(struct reader *r, const void *of)
{
	r->of = of;
}

uint64_t reader_stuck(const struct reader *r)
{
	return r->stuck;
}

uint64_t reader_cpu_ns(const struct reader *r)
{
	return copiers_cpu_ns(r->copiers);
}
