/* What is said of a name that no process has, or several have that are not one server. */
#ifndef CLI_COMMON_CHOICE_H
#define CLI_COMMON_CHOICE_H

struct error;
struct named_list;

/* Returns ERR_GONE with a message that has names like it, as far as there are any. */
int choice_none(const char *name, struct error *err);

/* Prints the processes to the standard error, a line for each master: its number, the CPU time of
 * it and its workers since they began, in percent of one CPU, its age, its command line
 * (commandline.h). Those that use the most come first. Returns ERR_USAGE; the message says what to
 * type. */
int choice_several(struct named_list *l, const char *name, struct error *err);

#endif
