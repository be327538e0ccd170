/*
 * The part of Criterion that our unit tests use, for builds in which Criterion cannot run.
 * Here each test is a forked child of a process without threads, and a "Synthesis" line like
 * Criterion's comes at the end.
 *
 * Under the sanitizers Criterion is not used, for two reasons. It executes the file anew for
 * each test, which takes fifty milliseconds of CPU time there. And BoxFort, the library below
 * it, passes data to the child in a file in /dev/shm that is named after the process ID. If two
 * PID namespaces share one /dev/shm, two processes can have the same ID. Then each removes the
 * other's file; and if a child has answered in the wrong file, bxfi_exec kills it, but reports
 * that it was started, and Criterion waits for its end for ever. The slower a test begins, the
 * likelier this is.
 *
 * Under qemu-aarch64 Criterion cannot start tests: it executes its own file anew, and the
 * kernel cannot execute a file of another machine.
 */
#ifndef TESTS_LIB_CRITERION_H
#define TESTS_LIB_CRITERION_H

#pragma GCC system_header /* as Criterion's own header: no warnings about signedness */

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct cr_test {
	const char *suite, *name;
	void (*run)(void);
	void (*init)(void), (*fini)(void);
	double timeout; /* seconds */
	struct cr_test *next;
};

static struct cr_test *cr_tests, *cr_suites;
static const struct cr_test *cr_running;

enum { CR_SKIPPED = 77 };

/* Prints what failed, and the test's message after it. `format` is "" if there is none. */
static inline void cr_fail(const char *file, int line, const char *what, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("%s:%d: %s ", file, line, what);
	vprintf(format, args);
	putchar('\n');
	va_end(args);
	fflush(stdout);
	_exit(1);
}

#define CR_FAIL(what, ...) cr_fail(__FILE__, __LINE__, what, "" __VA_ARGS__)
#define cr_assert(x, ...) ((x) ? (void)0 : CR_FAIL(#x, ##__VA_ARGS__))
#define cr_assert_not(x, ...) ((x) ? CR_FAIL("not " #x, ##__VA_ARGS__) : (void)0)
#define CR_COMPARE(a, op, b, ...) ((a)op(b) ? (void)0 : CR_FAIL(#a " " #op " " #b, ##__VA_ARGS__))
#define cr_expect(...) cr_assert(__VA_ARGS__)
#define cr_expect_not(...) cr_assert_not(__VA_ARGS__)
#define cr_expect_eq(...) cr_assert_eq(__VA_ARGS__)
#define cr_expect_leq(...) cr_assert_leq(__VA_ARGS__)
#define cr_expect_geq(...) cr_assert_geq(__VA_ARGS__)
#define cr_expect_null(...) cr_assert_null(__VA_ARGS__)
#define cr_expect_str_eq(...) cr_assert_str_eq(__VA_ARGS__)
#define cr_assert_eq(a, b, ...) CR_COMPARE(a, ==, b, ##__VA_ARGS__)
#define cr_assert_neq(a, b, ...) CR_COMPARE(a, !=, b, ##__VA_ARGS__)
#define cr_assert_lt(a, b, ...) CR_COMPARE(a, <, b, ##__VA_ARGS__)
#define cr_assert_gt(a, b, ...) CR_COMPARE(a, >, b, ##__VA_ARGS__)
#define cr_assert_leq(a, b, ...) CR_COMPARE(a, <=, b, ##__VA_ARGS__)
#define cr_assert_geq(a, b, ...) CR_COMPARE(a, >=, b, ##__VA_ARGS__)
#define cr_assert_null(a, ...) CR_COMPARE(a, ==, NULL, ##__VA_ARGS__)
#define cr_assert_not_null(a, ...) CR_COMPARE(a, !=, NULL, ##__VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) CR_COMPARE(strcmp(a, b), ==, 0, ##__VA_ARGS__)
#define cr_assert_str_empty(a, ...) CR_COMPARE(*(a), ==, '\0', ##__VA_ARGS__)
#define cr_assert_str_neq(a, b, ...) CR_COMPARE(strcmp(a, b), !=, 0, ##__VA_ARGS__)
#define cr_assert_arr_eq(a, b, n, ...) CR_COMPARE(memcmp(a, b, n), ==, 0, ##__VA_ARGS__)
#define cr_assert_float_eq(a, b, e, ...) cr_assert(fabs((a) - (b)) <= (e), ##__VA_ARGS__)
#define cr_log_info(...) ((void)0)
#define cr_skip_test(...) \
	(printf("skip %s::%s: ", cr_running->suite, cr_running->name), printf(__VA_ARGS__), \
	 puts(""), fflush(stdout), _exit(CR_SKIPPED))

#define CR_REGISTER(list, var) \
	__attribute__((constructor)) static void var##_register(void) \
	{ \
		var.next = list; \
		list = &var; \
	}
#define TestSuite(suite_, ...) \
	static struct cr_test suite_##_suite = { .suite = #suite_, __VA_ARGS__ }; \
	CR_REGISTER(cr_suites, suite_##_suite)
#define Test(suite_, name_, ...) \
	static void suite_##_##name_##_impl(void); \
	static struct cr_test suite_##_##name_##_test = { \
		.suite = #suite_, .name = #name_, .run = suite_##_##name_##_impl, __VA_ARGS__ \
	}; \
	CR_REGISTER(cr_tests, suite_##_##name_##_test) \
	static void suite_##_##name_##_impl(void)

static inline void cr_run(const struct cr_test *t)
{
	const struct cr_test *s = cr_suites;

	while (s && strcmp(s->suite, t->suite))
		s = s->next;
	if (s && s->init)
		s->init();
	if (t->init)
		t->init();
	t->run();
	if (t->fini)
		t->fini();
	if (s && s->fini)
		s->fini();
	exit(0); /* not _exit: leaks are looked for at exit */
}

int main(void)
{
	unsigned tested = 0, passed = 0, failed = 0, crashed = 0;

	for (const struct cr_test *t = cr_tests; t; t = t->next) {
		int status;
		pid_t pid;

		cr_running = t;
		fflush(stdout);
		pid = fork();

		if (pid == 0)
			cr_run(t);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			return 1;
		if (WIFEXITED(status) && WEXITSTATUS(status) == CR_SKIPPED)
			continue;
		tested++;
		if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
			passed++;
			continue;
		}
		printf("%s: %s::%s\n", WIFEXITED(status) ? "FAIL" : "CRASH", t->suite, t->name);
		failed += WIFEXITED(status);
		crashed += !WIFEXITED(status);
	}
	printf("Synthesis: Tested: %u | Passing: %u | Failing: %u | Crashing: %u\n", tested, passed,
	       failed, crashed);
	return passed != tested;
}

#endif
