// links: base/net
/*
 * Any bytes as the answer of a server, through the whole stack with libcurl. The server listens on
 * a socket in the file system, to which redirects lead, too, and answers all requests alike.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "must.h"
#include "base/net/http.h"

enum { CONTENT_MAX = 100000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct sockaddr_un address = { .sun_family = AF_UNIX };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of answer and answer_len */
static const uint8_t *answer;
static size_t answer_len;
static int listener = -1;

/* After a redirect to https a client begins with TLS, and waits for an answer to that. */
static bool is_asked(const char *request, size_t len)
{
	return len && (*request == 0x16 || (len >= 4 && !memcmp(request + len - 4, "\r\n\r\n", 4)));
}

static void say(int fd)
{
	char request[4096];
	size_t len = 0;
	ssize_t n = 1;

	while (n > 0 && len < sizeof(request) && !is_asked(request, len)) {
		n = read(fd, request + len, sizeof(request) - len);
		len += n > 0 ? (size_t)n : 0;
	}
	for (size_t at = 0; n > 0 && at < answer_len; at += (size_t)n) {
		n = send(fd, answer + at, answer_len - at, MSG_NOSIGNAL);
		if (n < 0)
			break;
	}
	close(fd);
}

static void *serve(void *unused)
{
	int fd;

	(void)unused;
	while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		pthread_mutex_lock(&lock);
		say(fd);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void remove_socket(void)
{
	unlink(address.sun_path);
}

static void start(void)
{
	pthread_t thread;

	snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/sampler-fuzz-%d", (int)getpid());
	unlink(address.sun_path);
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	must(!bind(listener, (struct sockaddr *)&address, sizeof(address)) &&
	     !listen(listener, 16));
	atexit(remove_socket);
	must(!pthread_create(&thread, NULL, serve, NULL));
	pthread_detach(thread);
}

/* Waits until no request is being answered. */
static void set_answer(const uint8_t *data, size_t size)
{
	pthread_mutex_lock(&lock);
	answer = data;
	answer_len = size;
	pthread_mutex_unlock(&lock);
}

/* The body ends like a head does: there the server stops reading. */
static void post(const struct http_request *q)
{
	const struct http_body body = { "x\r\n\r\n", 5, "text/plain", false, "x-", false };
	struct http_answer a;
	struct error err = { 0 };
	int rc = http_post(q, &body, &a, &err);

	must(rc || a.status / 100 == 2);
	must(!rc || (rc == err.code && strlen(err.text)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http_request q = { .url = "http://localhost/x",
				  .unix_socket = address.sun_path,
				  .max_bytes = CONTENT_MAX,
				  .total_timeout_ns = 60000000000 }; /* at idle priority */
	struct error err = { 0 };
	struct http *h;
	size_t total = 0, got;
	char buf[777];
	int rc;

	if (listener < 0)
		start();
	set_answer(data, size);
	rc = http_open(&h, &q, &err);
	must(!rc == !!h);
	while (!rc && !(rc = http_read(h, buf, sizeof(buf), &got, &err)) && got)
		total += got;
	must(total <= CONTENT_MAX);
	must(!rc || (rc == err.code && strlen(err.text)));
	http_close(h);
	post(&q);
	set_answer(NULL, 0);
	return 0;
}
