/* The names of the strategies as the values of an option. */
#ifndef ASHI_STRATEGY_WORDS_H
#define ASHI_STRATEGY_WORDS_H

#include <stddef.h>

/* Room for the names of all strategies and two more words. */
enum { ASHI_STRATEGY_WORDS = 512 };

/* "cosma|summa", and `more` ("all|planner") after them unless it is NULL. */
void ashi_strategy_words(const char *more, char out[ASHI_STRATEGY_WORDS]);

#endif
