#include "sampler/cli/common/readprofile.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "pprof/file/read.h"
#include "pprof/profile.h"
#include "pprof/validate.h"

static void name_the_option(struct error *err)
{
	size_t used = strlen(err->text);

	snprintf(err->text + used, sizeof(err->text) - used, "; --max-size sets the limit");
}

int readprofile(struct profile *p, const char *path, uint64_t max_size, struct error *err)
{
	int rc = profile_init(p);

	if (rc)
		return error_set(err, rc, "out of memory");
	rc = profile_read(p, path, max_size, err);
	if (rc == ERR_LIMIT)
		name_the_option(err);
	if (!rc) {
		rc = profile_validate(p, err);
		if (rc)
			error_prefix(err, "'%s'", path);
	}
	if (rc)
		profile_release(p);
	return rc;
}
