/* Names are quoted as browsers quote them. The caller appends a part's bytes itself, so none are
 * copied twice. */
#include "rounds/push/multipart.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"

int multipart_init(struct multipart *m, struct error *err)
{
	unsigned char random[MULTIPART_BOUNDARY / 2];

	memset(m, 0, sizeof(*m));
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return error_errno(err, ERR_IO, "there are no random bytes");
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(m->boundary + 2 * i, 3, "%02x", random[i]);
	return 0;
}

/* Quotes as a browser does (HTML, section 4.10.21.8): '"' is %22, CR and LF are %0D and %0A. */
static int multipart_add_quoted(struct buffer *b, const char *text)
{
	int rc = buffer_add(b, "\"", 1);

	for (; !rc && *text; text++)
		rc = strchr("\"\r\n", *text) ? buffer_addf(b, "%%%02X", *text) :
					       buffer_add(b, text, 1);
	return rc ? rc : buffer_add(b, "\"", 1);
}

int multipart_part(struct multipart *m, const char *name, const char *file, const char *type)
{
	int rc = buffer_addf(&m->body, "%s--%s\r\nContent-Disposition: form-data; name=",
			     m->parts++ ? "\r\n" : "", m->boundary);

	rc = rc ? rc : multipart_add_quoted(&m->body, name);
	rc = rc ? rc : buffer_addf(&m->body, "; filename=");
	rc = rc ? rc : multipart_add_quoted(&m->body, file);
	if (rc)
		return rc;
	return buffer_addf(&m->body, "\r\nContent-Type: %s\r\n\r\n",
			   type ? type : "application/octet-stream");
}

int multipart_end(struct multipart *m)
{
	return buffer_addf(&m->body, "\r\n--%s--\r\n", m->boundary);
}

void multipart_type(const struct multipart *m, char text[80])
{
	snprintf(text, 80, "multipart/form-data; boundary=%s", m->boundary);
}
