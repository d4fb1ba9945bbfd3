/*
 * A hashed timing wheel with unsorted slots (Varghese and Lauck 1987, scheme 6): a timer
 * waits in the slot of its tick modulo their number, and each time that slot comes, all of
 * its timers are looked at. With more slots than ticks to the last deadline it is a single
 * timing wheel: each timer that is looked at is due.
 */
#ifndef WHEEL_H
#define WHEEL_H

#include <stdlib.h>

#include "timer.h"

struct wheel {
	uint64_t now;
	uint64_t mask; /* the number of slots less one */
	struct link late; /* what was due already when it was scheduled */
	struct link slots[];
};

/* wheel_new returns a wheel of slots, a power of two, or NULL without memory. */
static struct wheel *wheel_new(uint64_t slots)
{
	struct wheel *w = malloc(sizeof *w + slots * sizeof w->slots[0]);

	if (w == NULL)
		return NULL;
	w->now = 0;
	w->mask = slots - 1;
	list_init(&w->late);
	for (uint64_t i = 0; i < slots; i++)
		list_init(&w->slots[i]);
	return w;
}

/* wheel_schedule has a timer that is not pending wait until a tick. */
static inline void wheel_schedule(struct wheel *w, struct timer *t, uint64_t due)
{
	t->due = due;
	list_add(due > w->now ? &w->slots[due & w->mask] : &w->late, &t->link);
}

/* wheel_visit moves what is due in a slot to a list. */
static inline void wheel_visit(struct link *slot, uint64_t now, struct link *due)
{
	struct link *l, *next;

	for (l = slot->next; l != slot; l = next) {
		next = l->next;
		if (((struct timer *)l)->due <= now) {
			list_remove(l);
			list_add(due->prev, l);
		}
	}
}

/*
 * wheel_expire moves the clock on to a tick, and all that is due to a list, slot by slot: after
 * a pause longer than a rotation not by tick. No slot is visited twice.
 */
static inline void wheel_expire(struct wheel *w, uint64_t now, struct link *due)
{
	uint64_t passed = now - w->now <= w->mask ? now - w->now : w->mask + 1;

	list_move(&w->late, due);
	for (uint64_t i = 1; i <= passed; i++)
		wheel_visit(&w->slots[(w->now + i) & w->mask], now, due);
	w->now = now;
}

#endif
