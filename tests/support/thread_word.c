/* A word of each thread's own in a library that is loaded late, as plug-ins of MPI have them; for leak_checker.c. */
void **ashi_thread_word(void);

static _Thread_local void *word;

void **ashi_thread_word(void)
{
    return &word;
}
