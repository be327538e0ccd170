/*
 * Functions of libc that would load shared libraries, replaced in a static program (`make static`).
 *
 * glibc's archives have dlopen(3), and name lookup that opens the modules named in
 * /etc/nsswitch.conf. Both load files of the system where the program runs. Unless that system has
 * the glibc of the build the program then aborts or divides by zero. OpenSSL and c-ares refer to
 * these functions, and sampler reaches none of them: OpenSSL is told to read no configuration and
 * is handed connected sockets, c-ares is handed numbers of ports. Here each of them fails, as it
 * may by its manual page. The linker's warning "Using 'dlopen' in statically linked applications"
 * is an error (Makefile), so a new use of such a function is noticed.
 *
 * What remains is iconv(3)'s: conversions other than ASCII and UTF-8 are shared libraries, which
 * cli/top/screen.c avoids.
 *
 * Rejected: musl, which has no such functions. Every library would have to be compiled for it,
 * since Debian has none but musl itself.
 */
#ifdef SAMPLER_STATIC
#include <errno.h>
#include <netdb.h>
#include <stddef.h>

/* The linker puts this in dlopen's place (--wrap): glibc's own is linked all the same, for
 * iconv(3). */
void *__wrap_dlopen(const char *file, int mode);

void *__wrap_dlopen(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
		struct addrinfo **out)
{
	(void)name;
	(void)service;
	(void)hints;
	*out = NULL;
	return EAI_FAIL;
}

void freeaddrinfo(struct addrinfo *list)
{
	(void)list;
}

int getnameinfo(const struct sockaddr *address, socklen_t address_len, char *host,
		socklen_t host_len, char *service, socklen_t service_len, int flags)
{
	(void)address;
	(void)address_len;
	(void)host;
	(void)host_len;
	(void)service;
	(void)service_len;
	(void)flags;
	return EAI_FAIL;
}

struct hostent *gethostbyname(const char *name)
{
	(void)name;
	h_errno = NO_RECOVERY;
	return NULL;
}

struct servent *getservbyname(const char *name, const char *protocol)
{
	(void)name;
	(void)protocol;
	return NULL;
}

int getservbyport_r(int port, const char *protocol, struct servent *entry, char *buf, size_t len,
		    struct servent **out)
{
	(void)port;
	(void)protocol;
	(void)entry;
	(void)buf;
	(void)len;
	*out = NULL;
	return ENOENT;
}
#endif
