// links: sampler/awaited
/* Any bytes as a text of /proc: a table of sockets, an epoll's descriptors, locks of files. */
#include <stdint.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "sampler/awaited/eventset.h"
#include "sampler/awaited/filelocks.h"
#include "sampler/awaited/sockets.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_sockets(const uint8_t *data, size_t size, bool ip6)
{
	struct socket_table t = { 0 };
	struct buffer text = { 0 };

	must(!sockets_parse(&t, data, size, true, ip6));
	for (size_t i = 0; i < t.count; i++) {
		const struct socket *end = sockets_other_end(&t, &t.sockets[i]);

		must(t.sockets[i].inode);
		must(!end || end->tcp);
		must(!sockets_print(&t.sockets[i], &t.sockets[i].local, &text));
	}
	buffer_release(&text);
	sockets_release(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct filelocks_wait wait = { .pid = 72, .inode = 6 };
	struct eventset e = { 0 };

	if (!size)
		return 0;
	fuzz_sockets(data + 1, size - 1, *data & 1);
	must(!eventset_parse(&e, data + 1, size - 1));
	for (size_t i = 0; i < e.count; i++)
		must(e.events[i].fd >= 0);
	eventset_release(&e);
	must(filelocks_holder(data + 1, size - 1, &wait) >= 0);
	return 0;
}
