/* SIGINT and SIGTERM are reset when they come, so a second one ends the command at once. A signal
 * that the parent ignores (nohup(1)) stays ignored, and SIGPIPE becomes EPIPE. */
#include "cli/common/signals.h"

#include <signal.h>
#include <stddef.h>

void signals_catch(void (*handler)(int))
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = handler }, old;

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		sa.sa_flags = signals[i] == SIGHUP ? 0 : (int)SA_RESETHAND;
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
	}
	signal(SIGPIPE, SIG_IGN);
}
