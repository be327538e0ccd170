// links: pprof/select
/*
 * Reads lines "PATTERN TAB TEXT TAB TEXT…", each part as a letter and its bytes in hex, and prints
 * one line for each: "bad" for an invalid pattern, else one digit for each text, 1 if it matches;
 * "limit" if a bound was exceeded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pprof/select/pattern.h"

static const char digits[] = "0123456789abcdef";

static size_t unhex(char *text)
{
	size_t n = 0;

	for (; text[2 * n] && text[2 * n + 1]; n++)
		text[n] = (char)(strchr(digits, text[2 * n]) - digits) << 4 |
			  (char)(strchr(digits, text[2 * n + 1]) - digits);
	return n;
}

static void answer(char *line)
{
	char *part = strtok(line, "\t"), *text;
	struct pattern *pattern;
	struct error err;
	size_t len = unhex(part + 1); /* the letter is there so that no part is empty */

	if (pattern_new(&pattern, part + 1, len, &err)) {
		printf("bad %s\n", err.text);
		return;
	}
	while ((text = strtok(NULL, "\t"))) {
		int rc;

		len = unhex(text + 1);
		rc = pattern_match(pattern, text + 1, len, &err);
		fputs(rc < 0 ? "limit" : rc ? "1" : "0", stdout);
	}
	putchar('\n');
	pattern_free(pattern);
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		answer(line);
	}
	free(line);
	return ferror(stdin) || fflush(stdout) ? 1 : 0;
}
