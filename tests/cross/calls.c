/*
 * Ways in which C functions use a stack, for tests/cross/aarch64.test, which steps through
 * run() one instruction at a time: leaves, large and variable frames, callbacks from
 * libc, tail calls, recursion, longjmp, and code without a frame. Each call uses the
 * previous one's result, so that nothing is optimized away.
 */
#include <alloca.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maps.h"

#define APART __attribute__((noinline, noclone))

static jmp_buf back;

APART static long leaf(long n)
{
	return n * 3 + 1;
}

APART static long leaf_with_array(long n)
{
	volatile long a[6];

	for (int i = 0; i < 6; i++)
		a[i] = n + i;
	return a[n & 3] + a[5];
}

APART static long large_frame(long n)
{
	volatile char room[70000];

	room[n & 0xffff] = 1;
	return leaf(n) + room[n & 0xff] + leaf_with_array(n);
}

APART static long variable_frame(long n)
{
	long *a = alloca((size_t)(n & 15) * sizeof(*a) + 64), sum = 0;

	memset(a, 1, 64);
	for (int i = 0; i < 4; i++) {
		long b[(n & 3) + 2];

		b[0] = leaf(n + i);
		b[(n & 3) + 1] = leaf_with_array(b[0]);
		sum += b[0] + b[(n & 3) + 1] + a[i];
	}
	return sum;
}

APART static long recursion(long n)
{
	return n ? recursion(n - 1) + leaf(n) : 1;
}

APART static long tail(long n, long (*next)(long))
{
	return next(leaf(n) & 7);
}

APART static long early_return(long n)
{
	if (n < 1000000)
		return n + 1;
	return recursion(n & 7) + large_frame(n) + leaf(n);
}

static int compare(const void *a, const void *b)
{
	return (int)(leaf(*(const int *)a) - leaf(*(const int *)b));
}

APART static long callbacks(long n)
{
	int numbers[] = { 5, 3, (int)(n & 7), 1, 9 };
	char text[64];

	qsort(numbers, 5, sizeof(*numbers), compare);
	return snprintf(text, sizeof(text), "%d %.3f %s", numbers[0], (double)n / 7.0, "end") +
	       strtol(text, NULL, 10);
}

APART static void jump(long n)
{
	if (leaf(n))
		longjmp(back, (int)(n & 7) + 1);
}

APART static long long_jump(long n)
{
	volatile long kept = leaf(n);

	if (setjmp(back) == 0)
		jump(n);
	return kept + leaf_with_array(kept);
}

/* Eight arguments in registers, two on the stack, all callee-saved registers in use. */
APART static long crowded(long a, long b, long c, long d, long e, long f, long g, long h, long i,
			  long j)
{
	long p = leaf(a), q = leaf(b), r = leaf(c), s = leaf(d), t = leaf(e), u = leaf(f),
	     v = leaf(g), w = leaf(h), x = leaf(i), y = leaf(j);

	return leaf(p + q) + leaf(r + s) + leaf(t + u) + leaf(v + w) + leaf(x + y) +
	       p * q * r * s * t * u * v * w * x * y;
}

__attribute__((noinline, noclone, used)) long run(long n)
{
	n = leaf(n);
	n = leaf_with_array(n);
	n = large_frame(n);
	n = variable_frame(n);
	n = recursion(n & 15);
	n = tail(n, recursion);
	n = early_return(n);
	n = callbacks(n);
	n = long_jump(n);
	n = crowded(n, n, n, n, n, n, n, n, n, n);
	return n;
}

int main(int argc, char **argv)
{
	write_maps(argv[1]);
	return run(argc) == 0;
}
