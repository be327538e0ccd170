// C++ exceptions through several frames, with destructors that run on the way; for
// tests/cross/aarch64.test.
#include <stdexcept>
#include <string>

#include "maps.h"

#define APART __attribute__((noinline, noclone))

static volatile long released;

struct holder {
	long n;
	explicit holder(long n) : n(n) {}
	APART ~holder() { released += n; }
};

APART static long leaf(long n)
{
	return n * 3 + 1;
}

APART static long thrower(long n)
{
	if (leaf(n) & 1)
		throw std::runtime_error(std::to_string(n));
	throw n;
}

APART static long between(long n)
{
	holder h(leaf(n));

	return thrower(n) + h.n;
}

APART static long catcher(long n)
{
	try {
		return between(n);
	} catch (const std::exception &e) {
		return leaf((long)std::string(e.what()).size());
	} catch (long m) {
		return leaf(m);
	}
}

extern "C" __attribute__((used, noinline)) long run(long n)
{
	return catcher(n) + catcher(n + 1);
}

int main(int argc, char **argv)
{
	write_maps(argv[1]);
	return run(argc) == 0;
}
