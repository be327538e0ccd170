/* What profile_read has parsed is validated here, so that no command meets a profile with a
 * reference that leads nowhere. */
#include "cli/common/readprofile.h"

#include "base/error.h"
#include "pprof/file/read.h"
#include "pprof/profile.h"
#include "pprof/validate.h"
#include "cli/common/cli.h"

int readprofile(struct profile *p, const char *path, uint64_t max_size, struct error *err)
{
	int rc;

	if (profile_init(p))
		return error_nomem(err);
	rc = profile_read(p, path, max_size, err);
	if (rc == ERR_LIMIT)
		cli_hint(err, "; --max-size sets the limit");
	if (!rc) {
		rc = profile_validate(p, err);
		if (rc)
			error_prefix(err, "'%s'", path);
	}
	if (rc)
		profile_release(p);
	return rc;
}
