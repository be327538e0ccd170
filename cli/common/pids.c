/* Lists of processes, by number or by name. A shell, pidof(1) and pgrep(1) separate numbers by
 * blanks and newlines; a name may have blanks in it, as "tmux: server" has, so only a comma ends
 * it. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/process.h"
#include "cli/common/byname.h"
#include "cli/common/cli.h"

enum { PID_MOST = 4194304 /* PID_MAX_LIMIT */ };

static const char spaces[] = " \t\n";

static int pids_add(pid_t pid, pid_t pids[PIDS_MAX], size_t *count, struct error *err)
{
	for (size_t i = 0; i < *count; i++)
		if (pids[i] == pid)
			return 0;
	if (*count == PIDS_MAX)
		return error_set(err, ERR_USAGE, "more than %d process IDs", PIDS_MAX);
	pids[(*count)++] = pid;
	return 0;
}

/* Adds the numbers of a text of digits and blanks. */
static int pids_add_numbers(char *text, pid_t pids[PIDS_MAX], size_t *count, struct error *err)
{
	char *save = NULL;
	uint64_t n;
	int rc = 0;

	for (char *one = strtok_r(text, spaces, &save); !rc && one;
	     one = strtok_r(NULL, spaces, &save)) {
		rc = parse_number(one, "process ID", 1, PID_MOST, &n, err);
		if (!rc)
			rc = pids_add((pid_t)n, pids, count, err);
	}
	return rc;
}

static int pids_add_name(const char *name, pid_t pids[PIDS_MAX], size_t *count,
			 struct byname *names, struct error *err)
{
	pid_t pid;
	int rc = byname_find(names, name, &pid, err);

	return rc ? rc : pids_add(pid, pids, count, err);
}

/* Removes blanks at both ends. */
static char *trimmed(char *text)
{
	size_t len;

	text += strspn(text, spaces);
	for (len = strlen(text); len && strchr(spaces, text[len - 1]);)
		text[--len] = '\0';
	return text;
}

/* Nothing where a number is expected is an error: it may be a variable that is not set. */
int parse_pids(const char *text, pid_t pids[PIDS_MAX], size_t *count, struct byname *names,
	       struct error *err)
{
	char *copy = strdup(text), *rest = copy, *one;
	int rc = copy ? 0 : error_nomem(err);

	while (!rc && rest) {
		one = trimmed(strsep(&rest, ","));
		if (!*one)
			rc = error_set(err, ERR_USAGE,
				       "a process ID is missing in '%s'; if a command such as "
				       "pidof wrote it, there is no such process",
				       text);
		else if (!one[strspn(one, "0123456789 \t\n")])
			rc = pids_add_numbers(one, pids, count, err);
		else
			rc = pids_add_name(one, pids, count, names, err);
	}
	free(copy);
	return rc;
}

bool pids_may_be(const char *word)
{
	return !word[strspn(word, "0123456789")] || strchr(word, ',') || byname_borne(word);
}

static bool any_reachable(const pid_t *pids, size_t count)
{
	struct error why;

	for (size_t i = 0; i < count; i++)
		if (!process_may_trace(pids[i], &why))
			return true;
	return false;
}

bool pids_fewer(pid_t *pids, size_t *count)
{
	size_t before = *count, kept = 0;
	struct error why;

	if (before < 2 || !any_reachable(pids, before))
		return false;
	for (size_t i = 0; i < before; i++)
		if (!process_may_trace(pids[i], &why))
			pids[kept++] = pids[i];
		else
			cli_say("left out: %s", why.text);
	*count = kept;
	return kept && kept < before;
}
