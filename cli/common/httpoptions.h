/*
 * How a command fetches URLs: --header, --unix-socket, --cacert and --timeout.
 *
 * A command puts HTTP_OPTIONS into its table of long options, passes each option to
 * httpoptions_set, and opens URLs (http_is_url) with httpoptions_open.
 */
#ifndef CLI_COMMON_HTTPOPTIONS_H
#define CLI_COMMON_HTTPOPTIONS_H

#include <getopt.h>

#include "base/net/http.h"

struct error;

enum http_option {
	HTTPOPTION_HEADER = 1024, /* above the numbers of cli/profiles/filters.h */
	HTTPOPTION_SOCKET,
	HTTPOPTION_CACERT,
	HTTPOPTION_TIMEOUT,
};

#define HTTP_OPTIONS \
	{ "header", required_argument, NULL, HTTPOPTION_HEADER }, \
		{ "unix-socket", required_argument, NULL, HTTPOPTION_SOCKET }, \
		{ "cacert", required_argument, NULL, HTTPOPTION_CACERT }, \
	{ \
		"timeout", required_argument, NULL, HTTPOPTION_TIMEOUT \
	}

/* {0}: no option was given. */
struct httpoptions {
	const char *given; /* an option that was given, for an error without a URL; or NULL */
	struct http_request request;
	char **headers; /* owned, as are the texts */
};

/* Takes an option. `value` must outlive `o`; a header's value in it is overwritten, so that neither
 * `ps` nor a profile has it. OPTION_OTHER, ERR_USAGE, ERR_IO (a file of headers that cannot be
 * read), ERR_LIMIT (too many headers, or too long a file of them), ERR_NOMEM. */
int httpoptions_set(struct httpoptions *o, int option, char *value, struct error *err);

/* Copies a URL, or the URL of "ENGINE=URL", and removes from the argument what may be secret in it,
 * so that neither `ps` nor a profile has that. Frees what *copy was. ERR_NOMEM. */
int httpoptions_url(char **copy, char *argument, struct error *err);

/* As http_open, with the options that were given. Without --timeout, the transfer may take 60 s. */
int httpoptions_open(const struct httpoptions *o, const char *url, struct http **h,
		     struct error *err);

void httpoptions_release(struct httpoptions *o);

#endif
