/* Waiting on a core that other ranks use as well. */
#ifndef ASHI_NAP_H
#define ASHI_NAP_H

/* Called between two looks at what is waited for; `since` is MPI_Wtime() when the wait began, `looks` how often it has
 * looked. At first the core is only offered to others. A wait that lasts sleeps: a rank that polls counts as busy, so
 * the system leaves it a core, while two ranks that multiply take turns on another. What has come is seen by an eighth
 * of the wait too late, or by some 100 us. */
void ashi_nap(double since, int looks);

#endif
