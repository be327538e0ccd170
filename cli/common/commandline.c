/* Words are taken one by one. What follows argv[0] is at other blanks than NULs, too: redis-server
 * and puma write their address behind their name. */
#include "cli/common/commandline.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/process/arguments.h"
#include "base/process/named.h"
#include "base/process/script.h"
#include "sampler/member/title.h"

enum { WORD_ROOM = 120, ARGUMENTS_BYTES = 4096, NUMBER_DIGITS = 5 };

struct commandline {
	char *line;
	size_t len;
	bool hidden;   /* the last word is a '*' */
	bool delicate; /* the last word is an option whose value is not shown */
};

static void commandline_put(struct commandline *c, const char *word)
{
	bool hidden = !strcmp(word, "*");

	if (hidden && c->hidden)
		return;
	c->hidden = hidden;
	if (c->len < COMMANDLINE_ROOM)
		c->len += (size_t)snprintf(c->line + c->len, COMMANDLINE_ROOM - c->len, "%s%s",
					   c->len ? " " : "", word);
}

static bool option_is_delicate(const char *name)
{
	static const char *const parts[] = { "pass", "pw",   "pin",  "secret", "token",
					     "key",  "auth", "cred", "user" };

	if (!strcmp(name, "-a")) /* redis-cli's password */
		return true;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strcasestr(name, parts[i]))
			return true;
	return false;
}

/* Numbers, IPv4 addresses and ports. */
static bool is_address(const char *word)
{
	size_t digits = 0;

	for (const char *at = word; *at; at++) {
		digits = isdigit((unsigned char)*at) ? digits + 1 : 0;
		if (digits > NUMBER_DIGITS || (!digits && !strchr(".:*", *at)))
			return false;
	}
	return *word;
}

static bool is_plain_path(const char *word)
{
	return *word == '/' && !word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_./-")];
}

static const char *shown_value(const char *word)
{
	return is_address(word) || is_plain_path(word) ? word : "*";
}

/* "--name" or "--name=value". Behind one dash and a letter a value may follow at once: -psecret. */
static void put_option(struct commandline *c, char *word)
{
	static const char letters[] = "-._0123456789abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char shown[WORD_ROOM + 4], *value = strchr(word, '=');

	if (value)
		*value++ = '\0';
	c->delicate = option_is_delicate(word);
	if (word[strspn(word, letters)])
		snprintf(shown, sizeof(shown), "*");
	else if (word[1] && word[1] != '-' && word[2])
		snprintf(shown, sizeof(shown), "-%c*", word[1]);
	else if (value)
		snprintf(shown, sizeof(shown), "%s=%s", word,
			 c->delicate ? "*" : shown_value(value));
	else
		snprintf(shown, sizeof(shown), "%s", word);
	c->delicate = c->delicate && !value;
	commandline_put(c, shown);
}

static void put_word(struct commandline *c, char *word)
{
	bool hide = c->delicate;

	c->delicate = false;
	if (*word == '-')
		put_option(c, word);
	else if (*word)
		commandline_put(c, hide ? "*" : shown_value(word));
}

/* Puts the words of one argument; of argv[0] the first is the program. */
static void put_argument(struct commandline *c, const char *text, size_t len, bool first)
{
	for (size_t at = 0, size; at < len; at += size + 1) {
		char word[WORD_ROOM];

		size = first ? strcspn(text + at, " ") : len;
		snprintf(word, sizeof(word), "%.*s", (int)size, text + at);
		if (first && !at)
			commandline_put(c, word);
		else
			put_word(c, size < sizeof(word) ? word : strcpy(word, "*"));
	}
}

static void put_arguments(struct commandline *c, const char *text, size_t size)
{
	const char *program = strrchr(text, '/');
	const char *script = script_find(program ? program + 1 : text, text, size);

	for (size_t at = 0, len; at < size; at += len + 1) {
		len = strnlen(text + at, size - at);
		if (text + at == script)
			commandline_put(c, script);
		else
			put_argument(c, text + at, len, !at);
	}
}

void commandline_bare(const char *arguments, size_t size, char line[COMMANDLINE_ROOM])
{
	struct commandline c = { .line = line };

	*line = '\0';
	if (!size)
		return;
	if (title_is_one(arguments))
		snprintf(line, COMMANDLINE_ROOM, "%s", arguments);
	else
		put_arguments(&c, arguments, size);
	for (size_t len = strlen(line); len && line[len - 1] == ' ';)
		line[--len] = '\0';
}

void commandline_read(const struct named *n, char line[COMMANDLINE_ROOM])
{
	char text[ARGUMENTS_BYTES];
	size_t size = arguments_read(n->pid, n->args_start, n->args_end, text, sizeof(text));

	commandline_bare(text, size, line);
	if (!*line)
		snprintf(line, COMMANDLINE_ROOM, "[%s]", n->comm);
}
