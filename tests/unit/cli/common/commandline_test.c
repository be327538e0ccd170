/* What is shown of a command line, and that no secret is. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "cli/common/commandline.h"

/* '|' ends an argument. */
static const char *shown(const char *arguments)
{
	static char line[COMMANDLINE_ROOM];
	char text[600];
	size_t size = (size_t)snprintf(text, sizeof(text), "%s", arguments);

	for (size_t at = 0; at < size; at++)
		text[at] = text[at] == '|' ? '\0' : text[at];
	commandline_bare(text, size, line);
	return line;
}

Test(commandline, tells_processes_apart)
{
	static const struct {
		const char *arguments, *line;
	} cases[] = {
		{ "", "" },
		{ "nginx: worker process|||", "nginx: worker process" },
		{ "postgres: alice shop idle   ", "postgres: alice shop idle" },
		{ "/usr/bin/redis-server *:6379||||", "/usr/bin/redis-server *:6379" },
		{ "/usr/sbin/x|-c|/etc/x/x.conf|-p|5432|", "/usr/sbin/x -c /etc/x/x.conf -p 5432" },
		{ "python3|/srv/App/app.py|-w|2|", "python3 /srv/App/app.py -w 2" },
		{ "x|--port=80|--bind=127.0.0.1:80|", "x --port=80 --bind=127.0.0.1:80" },
		{ "java|-Xmx4g|-cp|a.jar|org.example.Main|", "java -X* -c* * org.example.Main" },
		{ "puma 5.6.5 (tcp://127.0.0.1:80) [shop]|", "puma 5.6.5 *" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_str_eq(shown(cases[i].arguments), cases[i].line, "%zu: %s", i,
				 shown(cases[i].arguments));
}

Test(commandline, has_no_secrets)
{
	static const struct {
		const char *arguments, *line;
	} cases[] = {
		{ "mysql|-psecret|", "mysql -p*" },
		{ "x|--password=secret|", "x --password=*" },
		{ "x|--password|12345|1|", "x --password * 1" },
		{ "x|--api-key=12345|", "x --api-key=*" },
		{ "redis-cli|-a|12345|", "redis-cli -a *" },
		{ "x|--token|/etc/secret|", "x --token *" },
		{ "x|--url=http://u:p@h/|y|", "x --url=* *" },
		{ "curl|http://u:p@h/?k=v|", "curl *" },
		{ "x|DB_PASSWORD=secret|a secret|", "x *" },
		{ "x|wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY|", "x *" },
		{ "x|/JalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY|", "x *" },
		{ "x|123456|123456:1|", "x *" },
		{ "x|--a b=1|--$(y)=1|", "x *" },
		{ "python3|-c|secret|", "python3 -c *" },
		{ "sh|-c|secret word|", "sh -c *" },
		{ "x secret|secret|", "x *" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_str_eq(shown(cases[i].arguments), cases[i].line, "%zu: %s", i,
				 shown(cases[i].arguments));
}

Test(commandline, is_cut)
{
	char text[3 * COMMANDLINE_ROOM] = "x", line[COMMANDLINE_ROOM];

	for (size_t at = 2; at + 4 < sizeof(text); at += 4)
		memcpy(text + at, "-a\0", 4);
	commandline_bare(text, sizeof(text) - 1, line);
	cr_expect(strlen(line) == COMMANDLINE_ROOM - 1);
	memset(text, 'y', sizeof(text) - 1);
	commandline_bare(text, sizeof(text) - 1, line);
	cr_expect(strlen(line) < COMMANDLINE_ROOM && *line == 'y');
}
