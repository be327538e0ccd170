/* The C part: it sleeps, calls back into Go, does so on its own threads, and crashes. */
#include <pthread.h>
#include <unistd.h>

extern void goWait(int);

void c_sleep(void)
{
	sleep(1000);
}

__thread void *c_frame; /* for trace.c */

void inner(int n)
{
	c_frame = __builtin_frame_address(0);
	goWait(n);
}

void c_callback(int n)
{
	inner(n + 1);
}

void *thread(void *p)
{
	inner((int)(long)p);
	return p;
}

void c_threads(void)
{
	pthread_t t;

	for (long i = 0; i < 2; i++)
		pthread_create(&t, NULL, thread, (void *)(i + 10));
}

int poke(volatile int *p)
{
	return *p = 1;
}

int c_crash(void)
{
	return poke((int *)16);
}
