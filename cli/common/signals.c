/* A signal that is to be caught once is reset when it comes. One that the parent ignores (nohup(1))
 * stays ignored, and SIGPIPE becomes EPIPE. */
#include "cli/common/signals.h"

#include <signal.h>
#include <stddef.h>

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };

enum { SIGNALS = sizeof(signals) / sizeof(*signals) };

static struct sigaction before[SIGNALS];

void signals_catch(void (*handler)(int), bool again)
{
	struct sigaction sa = { .sa_handler = handler };

	for (size_t i = 0; i < SIGNALS; i++) {
		sa.sa_flags = again ? SA_RESTART : signals[i] == SIGHUP ? 0 : (int)SA_RESETHAND;
		if (signals[i] == SIGPIPE)
			sa.sa_handler = SIG_IGN;
		if (sigaction(signals[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
	}
}

void signals_release(void)
{
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
}
