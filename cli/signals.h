/* Signals that end what a command does, but not the command: it writes what it has. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/* Lets SIGINT, SIGTERM and SIGHUP call `handler`, each once: the second one ends us. But for
 * a hangup: a terminal that goes sends more than one, the kernel's to the foreground and the
 * shell's to its jobs. One that is ignored stays so (nohup). SIGPIPE is an error of writing. */
void signals_catch(void (*handler)(int));

#endif
