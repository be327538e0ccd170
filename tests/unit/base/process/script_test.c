/* Which word of an interpreter's arguments is the script. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/process/script.h"

Test(script, is_what_stands_behind_the_options)
{
	static const struct {
		const char *program, *arguments, *script;
	} cases[] = {
		{ "python3.11", "python3|/usr/bin/gunicorn|-w|2", "/usr/bin/gunicorn" },
		{ "python3", "python3|-W|ignore|-u|app.py|x", "app.py" },
		{ "python3", "python3|-m|http.server|8000", "http.server" },
		{ "python3", "python3|-c|print(1)|app.py", NULL },
		{ "python3", "python3", NULL },
		{ "python3", "python3|-|app.py", NULL },
		{ "ruby3.1", "ruby|-I|lib|-d|/usr/bin/puma|-q", "/usr/bin/puma" },
		{ "node", "node|--require|./x.js|--inspect=1|server.js", "server.js" },
		{ "php8.2", "php|-d|a=b|-f|work.php", "work.php" },
		{ "java", "java|-Xmx1g|-cp|a:b|org.example.Main|x", "org.example.Main" },
		{ "java", "java|-jar|shop.jar", "shop.jar" },
		{ "bash", "bash|+o|posix|run.sh", "run.sh" },
		{ "sh", "sh|-c|exec nginx", NULL },
		{ "php-fpm8.2", "php-fpm|pool", NULL },
		{ "redis-server", "redis-server|app.py", NULL },
		{ "", "x|app.py", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[100];
		size_t size = (size_t)snprintf(text, sizeof(text), "%s", cases[i].arguments);
		const char *script;

		for (size_t at = 0; at < size; at++)
			text[at] = text[at] == '|' ? '\0' : text[at];
		script = script_find(cases[i].program, text, size + 1);
		cr_expect(cases[i].script ? script && !strcmp(script, cases[i].script) : !script,
			  "%zu: %s", i, script ? script : "none");
	}
}
