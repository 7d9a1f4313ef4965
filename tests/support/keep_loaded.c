/* Keeps shared libraries loaded until the process ends, so that a leak found then still has the name of its library.
 *
 * MPI unloads its plug-ins in MPI_Finalize. The leak sanitizer cannot name the frames of an unloaded library, and the
 * suppressions in lsan.supp go by name: without this every allocation needs a stack deep enough to reach a library
 * that stays, and those stacks take most of the time of the tests that allocate much. Linked into sanitized programs
 * only. */
int dlclose(void *handle);

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}
