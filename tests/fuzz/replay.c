/*
 * Runs a fuzz target over files, without a fuzzer: a corpus as a test. Each argument is a file
 * or a folder of files. Besides each file, its prefixes that end at 64 places are tried:
 * truncation is the most common damage.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long inputs;

static void feed(const uint8_t *data, size_t len)
{
	/* An exact heap copy, so that the sanitizer detects a read past the end. */
	uint8_t *copy = malloc(len ? len : 1);

	if (!copy)
		abort();
	memcpy(copy, data, len);
	LLVMFuzzerTestOneInput(copy, len);
	free(copy);
	inputs++;
}

static int replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t len = 0;
	int rc = 1;

	if (!f) {
		perror(path);
		return 1;
	}
	if (fseek(f, 0, SEEK_END) == 0 && ftell(f) >= 0) {
		len = (size_t)ftell(f);
		rewind(f);
		data = malloc(len + 1);
		rc = !data || fread(data, 1, len, f) != len;
	}
	fclose(f);
	if (!rc) {
		feed(data, len);
		for (size_t i = 0; len && i < 64; i++)
			feed(data, len * i / 64);
	}
	free(data);
	return rc;
}

static int replay(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	int rc = 0;

	if (!d)
		return replay_file(path);
	while ((e = readdir(d))) {
		char *name;

		if (e->d_name[0] == '.' || asprintf(&name, "%s/%s", path, e->d_name) < 0)
			continue;
		rc |= replay(name);
		free(name);
	}
	closedir(d);
	return rc;
}

int main(int argc, char **argv)
{
	int rc = 0;

	for (int i = 1; i < argc; i++)
		rc |= replay(argv[i]);
	printf("%lu inputs replayed\n", inputs);
	return rc || !inputs;
}
