/* The name of a debug package, from lists as apt keeps them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbolize/files/debugpackage.h"

static char folder[] = "/tmp/sampler-lists-XXXXXX", name[DEBUGPACKAGE_ROOM];

#define ID "04d02d4698a09e69c519b446b8ff3fa80e9b623b"
#define OTHER "0afcfccad8d47f6ae613e586208bcd59b1d59a79"

static FILE *list(const char *file)
{
	char path[80];
	FILE *f;

	if (strstr(folder, "XXXXXX"))
		cr_assert(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/%s", folder, file);
	f = fopen(path, "w");
	cr_assert(f);
	return f;
}

static void remove_lists(void)
{
	char command[80];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	cr_assert_eq(system(command), 0);
}

static const char *found(const char *id)
{
	*name = '\0';
	return debugpackage_find(folder, id, name) ? name : NULL;
}

Test(debugpackage, is_of_the_paragraph_that_has_the_build, .fini = remove_lists)
{
	FILE *f = list("a_main_Packages");

	fprintf(f,
		"Package: libfoo-dbg\nBuild-Ids: %s\n\nPackage: bar-dbgsym\nSection: debug\n"
		"Build-Ids: 1f9d3fb9cc4296c89f216330a065fe0a25859191 %s\nSize: 1\n\nPackage: c\n",
		OTHER, ID);
	fclose(f);
	cr_expect_str_eq(found(ID), "bar-dbgsym");
	cr_expect_str_eq(found(OTHER), "libfoo-dbg");
	cr_expect_null(found("ffffffffffffffffffffffffffffffffffffffff"));
	cr_expect_null(found("04d0"), "too short to be one");
}

/* A kernel's debug package has thousands of builds: the line is longer than a piece. */
Test(debugpackage, is_far_in_front_of_its_build, .fini = remove_lists)
{
	FILE *f = list("a_Packages");

	for (int i = 0; i < 1000; i++)
		fprintf(f, "Package: p%d\nDescription: %0300d\n\n", i, i);
	fprintf(f, "Package: linux-image-dbg\nBuild-Ids:");
	for (int i = 0; i < 20000; i++)
		fprintf(f, " %040d", i);
	fprintf(f, " %s\n\nPackage: z\n", ID);
	fclose(f);
	cr_expect_str_eq(found(ID), "linux-image-dbg");
}

Test(debugpackage, is_in_a_list_only, .fini = remove_lists)
{
	FILE *f = list("a_Packages.lz4");

	fprintf(f, "Package: a\nBuild-Ids: %s\n", ID);
	fclose(f);
	cr_expect_null(found(ID));
}

Test(debugpackage, has_no_folder)
{
	cr_expect_not(debugpackage_find("/nonexistent", ID, name));
}

/* A name that could be no package's is none. */
Test(debugpackage, has_a_plain_name, .fini = remove_lists)
{
	FILE *f = list("a_Packages");

	fprintf(f, "Package: \033[31m\nBuild-Ids: %s\n", ID);
	fclose(f);
	cr_expect_null(found(ID));
}
