/* Signals that end what a command does, but not the command: it still writes what it has. */
#ifndef CLI_COMMON_SIGNALS_H
#define CLI_COMMON_SIGNALS_H

#include <stdbool.h>

/* Makes SIGINT, SIGTERM and SIGHUP call `handler`. A second SIGINT or SIGTERM ends us, or with
 * `again` calls it again. A second SIGHUP does not end us: a terminal that closes causes more than
 * one, from the kernel to the foreground group and from the shell to its jobs. A signal that is
 * ignored stays ignored (nohup). SIGPIPE is ignored, so that writing fails instead. */
void signals_catch(void (*handler)(int), bool again);

/* Makes them what they were before signals_catch. */
void signals_release(void);

#endif
