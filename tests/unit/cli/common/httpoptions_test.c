/* What --header and similar options add to a request. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/common/cli.h"
#include "cli/common/httpoptions.h"

static int set(struct httpoptions *o, int option, const char *value, struct error *err)
{
	static char arguments[8][100]; /* they outlive the options */
	static size_t count;
	char *argument = strcpy(arguments[count++], value);

	return httpoptions_set(o, option, argument, err);
}

static void write_file(char *path, const char *text, size_t len)
{
	int fd = mkstemp(path);

	cr_assert_eq(write(fd, text, len), (ssize_t)len);
	close(fd);
}

static const char *name_file(const char *path)
{
	static char name[100];

	snprintf(name, sizeof(name), "@%s", path);
	return name;
}

Test(httpoptions, others_are_left_alone)
{
	struct httpoptions o = { 0 };

	cr_assert_eq(httpoptions_set(&o, 'o', NULL, NULL), OPTION_OTHER);
	cr_assert_eq(httpoptions_set(&o, HTTPOPTION_TIMEOUT + 1, NULL, NULL), OPTION_OTHER);
	cr_assert_null(o.given);
}

Test(httpoptions, all_of_them)
{
	struct httpoptions o = { 0 };
	struct error err;

	cr_assert_eq(set(&o, HTTPOPTION_HEADER, "A: b", &err), 0);
	cr_assert_str_eq(o.given, "header");
	cr_assert_eq(set(&o, HTTPOPTION_HEADER, "C: d", &err), 0);
	cr_assert_eq(set(&o, HTTPOPTION_SOCKET, "/run/x", &err), 0);
	cr_assert_str_eq(o.given, "unix-socket");
	cr_assert_eq(set(&o, HTTPOPTION_CACERT, "ca.pem", &err), 0);
	cr_assert_str_eq(o.given, "cacert");
	cr_assert_eq(set(&o, HTTPOPTION_TIMEOUT, "1m", &err), 0);
	cr_assert_str_eq(o.given, "timeout");
	cr_assert_eq(o.request.header_count, 2);
	cr_assert_str_eq(o.request.headers[0], "A: b");
	cr_assert_str_eq(o.request.headers[1], "C: d");
	cr_assert_str_eq(o.request.unix_socket, "/run/x");
	cr_assert_str_eq(o.request.ca_file, "ca.pem");
	cr_assert_eq(o.request.total_timeout_ns, 60000000000);
	cr_assert_eq(o.request.idle_timeout_ns, 60000000000);
	httpoptions_release(&o);
}

Test(httpoptions, a_header_is_in_the_request_alone)
{
	char argument[] = "Authorization: Bearer x";
	struct httpoptions o = { 0 };

	cr_assert_eq(httpoptions_set(&o, HTTPOPTION_HEADER, argument, NULL), 0);
	cr_assert_str_eq(argument, "Authorization: *");
	cr_assert_str_eq(o.request.headers[0], "Authorization: Bearer x");
	httpoptions_release(&o);
}

Test(httpoptions, no_time_is_refused)
{
	struct httpoptions o = { 0 };
	struct error err;

	cr_assert_eq(set(&o, HTTPOPTION_TIMEOUT, "0", &err), ERR_USAGE);
	cr_assert_eq(set(&o, HTTPOPTION_TIMEOUT, "soon", &err), ERR_USAGE);
}

Test(httpoptions, headers_of_a_file)
{
	static const char text[] = "A: b\r\n\n# none\n   \nC: d # all of it";
	char path[] = "/tmp/sampler-headers-XXXXXX";
	struct httpoptions o = { 0 };
	struct error err;

	write_file(path, text, strlen(text));
	cr_assert_eq(set(&o, HTTPOPTION_HEADER, name_file(path), &err), 0);
	cr_assert_eq(o.request.header_count, 2);
	cr_assert_str_eq(o.request.headers[0], "A: b");
	cr_assert_str_eq(o.request.headers[1], "C: d # all of it");
	httpoptions_release(&o);
	unlink(path);
}

Test(httpoptions, files_that_cannot_be_one)
{
	static char big[70000];
	char path[] = "/tmp/sampler-headers-XXXXXX", many[] = "/tmp/sampler-headers-XXXXXX";
	struct httpoptions o = { 0 };
	struct error err;

	cr_assert_eq(set(&o, HTTPOPTION_HEADER, "@/nowhere/at/all", &err), ERR_IO);
	cr_assert(strstr(err.text, "/nowhere/at/all"));
	cr_assert_eq(set(&o, HTTPOPTION_HEADER, "@/", &err), ERR_IO);
	memset(big, '#', sizeof(big));
	write_file(path, big, sizeof(big));
	cr_assert_eq(set(&o, HTTPOPTION_HEADER, name_file(path), &err), ERR_LIMIT);
	for (size_t i = 0; i < 300; i++)
		memcpy(big + 5 * i, "A: b\n", 5);
	write_file(many, big, 1500);
	cr_assert_eq(set(&o, HTTPOPTION_HEADER, name_file(many), &err), ERR_LIMIT);
	httpoptions_release(&o);
	unlink(path);
	unlink(many);
}
