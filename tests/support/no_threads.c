/* In a test on several ranks that is not run under the thread sanitizer: it ends the test if the library starts a
 * thread, so that the mark THREADS in tests/CMakeLists.txt is not forgotten. For programs linked with
 * --wrap=pthread_create. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*begin)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*begin)(void *), void *argument)
{
    (void)thread, (void)attributes, (void)begin, (void)argument;
    fputs("this test starts threads: mark it THREADS in tests/CMakeLists.txt, so that races are looked for\n", stderr);
    abort();
}
