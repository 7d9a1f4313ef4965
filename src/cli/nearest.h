/* The word on a list that a mistyped one was probably meant to be. */
#ifndef ASHI_NEAREST_H
#define ASHI_NEAREST_H

/* Keep `candidate` in *best where it is nearer to `typed` than what was offered before. Start with *best NULL; it stays
 * NULL where nothing offered is near enough to be worth suggesting. */
void ashi_nearest_offer(const char *typed, const char *candidate, const char **best, int *distance);

#endif
