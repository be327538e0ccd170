/* The table is generated (layout_table.h). A release is accepted by its version's text, unless it
 * was built with an experiment that may change a structure. */
#include "runtimes/go/find/layout.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct golayout layouts[] = {
#include "runtimes/go/find/layout_table.h"
};

const uint16_t go_class_bytes[GO_SIZE_CLASSES] = {
	0,     8,     16,    24,    32,	   48,	  64,	 80,	96,    112,   128,   144,
	160,   176,   192,   208,   224,   240,	  256,	 288,	320,   352,   384,   416,
	448,   480,   512,   576,   640,   704,	  768,	 896,	1024,  1152,  1280,  1408,
	1536,  1792,  2048,  2304,  2688,  3072,  3200,	 3456,	4096,  4864,  5376,  6144,
	6528,  6784,  6912,  8192,  9472,  9728,  10240, 10880, 12288, 13568, 14336, 16384,
	18432, 19072, 20480, 21760, 24576, 27264, 28672, 32768,
};

/* Experiments (internal/goexperiment) that do not change the runtime's structures. They concern
 * vendors' cryptography, libraries, debug information, addresses, and how findings are reported.
 * Experiments that add fields (staticlockranking, nogreenteagc, noswissmap) are not in the list.
 * Neither are experiments that have not been compared. */
static bool harmless(const char *name, size_t len)
{
	static const char *const names[] = {
		"boringcrypto",
		"strictfipsruntime",
		"systemcrypto",
		"opensslcrypto",
		"loopvar",
		"cgocheck2",
		"goroutineleakprofile",
		"jsonv2",
		"nodwarf5",
		"norandomizedheapbase64",
		"simd",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == len && !memcmp(name, names[i], len))
			return true;
	return false;
}

static bool only_harmless(const char *version)
{
	const char *x = strstr(version, "X:");

	for (x = x ? x + 2 : ""; *x; x += strspn(x, ", ")) {
		size_t len = strcspn(x, ", ");

		if (!harmless(x, len))
			return false;
		x += len;
	}
	return true;
}

const struct golayout *golayout_of(const char *version)
{
	unsigned long minor;
	char *end;

	if (strncmp(version, "go1.", 4) || version[4] < '0' || version[4] > '9')
		return NULL;
	minor = strtoul(version + 4, &end, 10);
	/* accepted: "go1.26.8", "go1.26", "go1.22.3 (Red Hat …)", "go1.21.5-suffix"; not "beta1" */
	if ((*end && !strchr(". -", *end)) || !only_harmless(version))
		return NULL;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].minor == minor)
			return &layouts[i];
	return NULL;
}
