/* In the steady state nothing is allocated. Our own malloc counts the calls; with a sanitizer,
 * which has its own malloc, a hook counts them. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "delta/delta.h"
#include "pprof/profile.h"
#include "pprof/wire/encode.h"

static size_t allocations;

#ifdef __SANITIZE_ADDRESS__
/* Declared in sanitizer/allocator_interface.h, which gcc does not install. */
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
					      void (*on_free)(const volatile void *));

static void count(const volatile void *p, size_t size)
{
	(void)p, (void)size;
	allocations++;
}

static void ignore(const volatile void *p)
{
	(void)p;
}

static void start_counting(void)
{
	cr_assert(__sanitizer_install_malloc_and_free_hooks(count, ignore));
}
#else
/* glibc's internal names of the functions replaced here (malloc/malloc.c). */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

void *malloc(size_t size)
{
	allocations++;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	allocations++;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	allocations++;
	return __libc_realloc(p, size);
}

static void start_counting(void)
{
	void *volatile probe = malloc(1);

	free(probe);
	cr_assert(allocations);
}
#endif

/* Each stack is there twice, so that values are summed, too. */
static struct buffer make(int64_t round)
{
	struct buffer out = { 0 };
	struct profile p;
	struct error err;

	cr_assert(!profile_init(&p) && !profile_add_type(&p, "contentions", "count") &&
		  !profile_add_type(&p, "delay", "nanoseconds"));
	for (uint32_t i = 1; i <= 500; i++) {
		struct profile_location l = { .address = i };
		int64_t values[2] = { i + round, i * round };
		struct profile_label label = { .num = i };
		uint32_t id;

		cr_assert(!profile_add_location(&p, &l, NULL, 0, &id) &&
			  !profile_string(&p, "bytes", &label.key));
		for (int twice = 0; twice < 2; twice++)
			cr_assert(!profile_add_sample(&p, &id, 1, values, &label, 1));
	}
	cr_assert(!profile_encode(&p, &out, &err));
	profile_release(&p);
	return out;
}

static int discard(void *ctx, const void *data, size_t len, struct error *err)
{
	(void)ctx, (void)data, (void)len, (void)err;
	return 0;
}

Test(steady, nothing_is_allocated)
{
	struct buffer profiles[2] = { make(1), make(2) };
	struct delta_options options = { .allow_negative = true };
	struct delta_computer *dc;
	struct error err;
	size_t before;

	cr_assert_eq(delta_new(&dc, &options, &err), 0);
	for (int i = 0; i < 2; i++)
		cr_assert_eq(
			delta_compute(dc, profiles[i].data, profiles[i].len, discard, NULL, &err),
			0, "%s", err.text);
	start_counting();
	before = allocations;
	for (int i = 0; i < 10; i++)
		cr_assert_eq(delta_compute(dc, profiles[i & 1].data, profiles[i & 1].len, discard,
					   NULL, &err),
			     0);
	cr_assert_eq(allocations, before, "%zu allocations", allocations - before);
	cr_assert_eq(delta_stats(dc)->kept, 500);
	delta_free(dc);
	buffer_release(&profiles[0]);
	buffer_release(&profiles[1]);
}
