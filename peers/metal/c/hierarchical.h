/*
 * A hierarchical timing wheel (Varghese and Lauck 1987, scheme 7) of 256 slots a level. A
 * timer waits at the level of the highest byte in which its tick differs from now, in the
 * slot of that byte; when the first tick of a slot of a higher level is reached, its timers
 * move down. Eight levels are all ticks there are.
 *
 * A bit for each slot says that it may hold something: a cancel leaves it, and the next visit
 * to the empty slot clears it.
 */
#ifndef WHEEL_H
#define WHEEL_H

#include <stdlib.h>

#include "timer.h"

enum { LEVELS = 8, SLOTS = 256, WORDS = SLOTS / 64 };

struct wheel {
	uint64_t now;
	int levels; /* those above have never held anything */
	uint64_t occupied[LEVELS][WORDS];
	struct link slots[LEVELS][SLOTS];
};

/* wheel_new returns a wheel, or NULL without memory. Each level has SLOTS, whatever is asked. */
static struct wheel *wheel_new(uint64_t slots)
{
	struct wheel *w = calloc(1, sizeof *w);

	(void)slots;
	if (w == NULL)
		return NULL;
	for (int level = 0; level < LEVELS; level++)
		for (int slot = 0; slot < SLOTS; slot++)
			list_init(&w->slots[level][slot]);
	return w;
}

/* wheel_place links a timer where it belongs at present: what is late, to the slot of now. */
static inline void wheel_place(struct wheel *w, struct timer *t)
{
	uint64_t tick = t->due > w->now ? t->due : w->now;
	int level = (63 - __builtin_clzll((tick ^ w->now) | 1)) / 8;
	int slot = tick >> (8 * level) & (SLOTS - 1);

	if (level >= w->levels)
		w->levels = level + 1;
	w->occupied[level][slot / 64] |= UINT64_C(1) << slot % 64;
	list_add(&w->slots[level][slot], &t->link);
}

/* wheel_schedule has a timer that is not pending wait until a tick. */
static inline void wheel_schedule(struct wheel *w, struct timer *t, uint64_t due)
{
	t->due = due;
	wheel_place(w, t);
}

/* next_occupied returns the first slot after one that may hold something, SLOTS if none may. */
static inline int next_occupied(const uint64_t *occupied, int after)
{
	int word = (after + 1) / 64;
	uint64_t bits;

	if (word == WORDS)
		return SLOTS;
	bits = occupied[word] & ~UINT64_C(0) << (after + 1) % 64;
	while (bits == 0) {
		if (++word == WORDS)
			return SLOTS;
		bits = occupied[word];
	}
	return 64 * word + __builtin_ctzll(bits);
}

/* wheel_open moves the timers of a slot, whose first tick is now, to where they belong. */
static inline void wheel_open(struct wheel *w, int level, int slot)
{
	struct link moving, *l, *next;

	w->occupied[level][slot / 64] &= ~(UINT64_C(1) << slot % 64);
	list_init(&moving);
	list_move(&w->slots[level][slot], &moving);
	for (l = moving.next; l != &moving; l = next) {
		next = l->next;
		wheel_place(w, (struct timer *)l);
	}
}

/*
 * wheel_advance moves the clock to the next tick at which something may be due, and
 * returns true; or, if that is later, to the tick given. All timers of a level are due before
 * those of the levels above it.
 */
static inline bool wheel_advance(struct wheel *w, uint64_t to)
{
	int current = w->now & (SLOTS - 1);

	w->occupied[0][current / 64] &= ~(UINT64_C(1) << current % 64);
	for (int level = 0; level < w->levels; level++) {
		int shift = 8 * level;
		int slot = next_occupied(w->occupied[level], w->now >> shift & (SLOTS - 1));
		uint64_t rotation = ((uint64_t)SLOTS << shift) - 1; /* all ones at the last level */
		uint64_t first = (w->now & ~rotation) | (uint64_t)slot << shift;

		if (slot == SLOTS)
			continue;
		if (first > to)
			break;
		w->now = first;
		if (level > 0)
			wheel_open(w, level, slot);
		return true;
	}
	w->now = to;
	return false;
}

/* wheel_expire moves the clock on to a tick, and all that is due to a list, by tick. */
static inline void wheel_expire(struct wheel *w, uint64_t now, struct link *due)
{
	do
		list_move(&w->slots[0][w->now & (SLOTS - 1)], due);
	while (wheel_advance(w, now));
}

#endif
