/*
 * Error codes and messages.
 *
 * A function that can fail returns 0 or one of these negative codes. The code is for the caller's
 * decision (retry, skip, which exit status), the message for the person. The message is in a struct
 * error that the caller owns. It names what failed, on what, where and why, starts in lower case,
 * ends without a full stop and puts its subject in quotes. Only cli/ prints.
 *
 * Every function that takes a `struct error *` accepts NULL, for a caller that needs the code only.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

enum error_code {
	ERR_NOMEM = -1,	   /* out of memory */
	ERR_IO = -2,	   /* input or output failed; errno, if there is one, is in the message */
	ERR_FORMAT = -3,   /* foreign bytes break their format */
	ERR_USAGE = -4,	   /* the user asked for what does not exist */
	ERR_PERM = -5,	   /* not permitted; the message names cause and remedy */
	ERR_GONE = -6,	   /* process or thread does not exist (any more) */
	ERR_LIMIT = -7,	   /* one of our own limits was reached */
	ERR_NOTFOUND = -8, /* not found; often no error to the user */
	ERR_SHORT = -9,	   /* fewer bytes available than the caller needs */
	ERR_BUSY = -10,	   /* another operation is under way and will end soon */
};

struct error {
	int code;	/* enum error_code, 0 while nothing has failed */
	char text[512]; /* the message, NUL-terminated, cut when longer */
};

/* Sets code and message; returns code, so that `return error_set(...)` reads well. */
int error_set(struct error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* As error_set, with ": " and the text of the current errno appended. */
int error_errno(struct error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Sets "out of memory" and returns ERR_NOMEM. */
int error_nomem(struct error *err);

/* Puts "prefix: " before the message that is there already; returns its code. */
int error_prefix(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
