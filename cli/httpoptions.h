/*
 * How a command fetches URLs: --header, --headers, --unix-socket, --cacert and --timeout.
 *
 * A command puts HTTP_OPTIONS into its table of long options, offers httpoptions_set what
 * getopt_long returns, and opens what http_is_url by httpoptions_open.
 */
#ifndef CLI_HTTPOPTIONS_H
#define CLI_HTTPOPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "net/http.h"

struct error;

enum http_option {
	HTTPOPTION_HEADER = 1024, /* above what filters have */
	HTTPOPTION_HEADERS,
	HTTPOPTION_SOCKET,
	HTTPOPTION_CACERT,
	HTTPOPTION_TIMEOUT,
};

#define HTTP_OPTIONS                                                    \
	{ "header", required_argument, NULL, HTTPOPTION_HEADER },       \
	{ "headers", required_argument, NULL, HTTPOPTION_HEADERS },     \
	{ "unix-socket", required_argument, NULL, HTTPOPTION_SOCKET },  \
	{ "cacert", required_argument, NULL, HTTPOPTION_CACERT },       \
	{ "timeout", required_argument, NULL, HTTPOPTION_TIMEOUT }

/* {0} is none given. */
struct httpoptions {
	const char *given; /* the name of one of them, NULL for none: of no use without a URL */
	struct http_request request;
	char **headers; /* owned, as are the texts */
};

/* Takes what getopt_long returned. False: that is none of these. `value` must stay. *rc is 0,
 * ERR_USAGE, ERR_IO (a file of headers that cannot be read), ERR_LIMIT (too
 * many headers), ERR_NOMEM. */
bool httpoptions_set(struct httpoptions *o, int option, const char *value, int *rc,
		     struct error *err);

/* As http_open, with what was set and its default of 60 seconds altogether. */
int httpoptions_open(const struct httpoptions *o, const char *url, struct http **h,
		     struct error *err);

void httpoptions_release(struct httpoptions *o);

#endif
