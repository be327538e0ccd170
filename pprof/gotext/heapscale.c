/*
 * Go's math.Exp on x86-64 is a routine of its own (src/math/exp_amd64.s), whose last bit
 * sometimes differs from libm's. That bit is visible in an estimate of many bytes, so go_exp
 * is the same routine: the argument is reduced to x - n*ln 2 and divided by 16, a Taylor
 * series of eight terms gives e^y - 1, and four squarings, as y*(y+2), undo the division.
 */
#include "pprof/gotext/heapscale.h"

#include <limits.h>
#include <math.h>

static double go_exp(double x)
{
	static const double log2e = 1.4426950408889634073599246810018920;
	static const double ln2_high = 0.69314718055966295651160180568695068359375;
	static const double ln2_low = 0.28235290563031577122588448175013436025525412068e-12;
	static const double series[] = {
		2.4801587301587301587e-5,
		1.9841269841269841270e-4,
		1.3888888888888888889e-3,
		8.3333333333333333333e-3,
		4.1666666666666666667e-2,
		1.6666666666666666667e-1,
		0.5,
		1.0,
	};
	double n, y, sum = series[0];

	if (x < -700) /* exp(x) is too small to change 1 - exp(x) */
		return 0;
	if (!(x <= 7.09782712893384e+02))
		return x > 0 ? INFINITY : x;
	n = nearbyint(log2e * x);
	y = fma(-n, ln2_low, fma(-n, ln2_high, x)) * 0.0625;
	for (int i = 1; i < 8; i++)
		sum = fma(sum, y, series[i]);
	y *= sum;
	for (int i = 0; i < 3; i++)
		y *= y + 2;
	y = fma(y + 2, y, 1);
	return n >= 1024 ? INFINITY : ldexp(y, (int)n);
}

static double scale_for(int64_t count, int64_t size, int64_t rate)
{
	double average = (double)size / (double)count;

	return 1 / (1 - go_exp(-average / (double)rate));
}

void heapscale(int64_t *count, int64_t *size, int64_t rate)
{
	double scale;

	if (!*count || !*size) {
		*count = *size = 0;
	} else if (rate > 1) {
		scale = scale_for(*count, *size, rate);
		*count = heapscale_truncated((double)*count * scale);
		*size = heapscale_truncated((double)*size * scale);
	}
}

static bool gives(int64_t count, int64_t size, int64_t rate, int64_t want_count, int64_t want_size)
{
	heapscale(&count, &size, rate);
	return count == want_count && size == want_size;
}

/* Searches near `near` for a size that heapscale, with `count` objects, turns into the wanted
 * numbers. */
static bool find_size(int64_t count, int64_t rate, int64_t want_count, int64_t want_size,
		      int64_t near, int64_t *size)
{
	for (int64_t step = 0; step <= 64; step++)
		for (int sign = -1; sign <= 1; sign += 2) {
			*size = near + sign * step;
			if (*size > 0 && gives(count, *size, rate, want_count, want_size))
				return true;
		}
	return false;
}

bool heapscale_undo(int64_t *count, int64_t *size, int64_t rate, int64_t block)
{
	int64_t want_count = *count, want_size = *size, near_count, near_size;
	double scale;

	if (rate <= 1 || !want_count || !want_size)
		return !want_count == !want_size;
	scale = block > 0 ? scale_for(1, block, rate) : scale_for(want_count, want_size, rate);
	near_count = heapscale_truncated(ceil((double)want_count / scale));
	near_size = heapscale_truncated(ceil((double)want_size / scale));
	for (int64_t c = near_count + 2; c >= near_count - 2; c--) {
		if (c > 0 && block > 0 && c <= INT64_MAX / block &&
		    gives(c, c * block, rate, want_count, want_size)) {
			*count = c;
			*size = c * block;
			return true;
		}
		if (c > 0 && find_size(c, rate, want_count, want_size, near_size, size)) {
			*count = c;
			return true;
		}
	}
	*count = near_count > 0 ? near_count : 1;
	*size = near_size > 0 ? near_size : 1;
	return false;
}
