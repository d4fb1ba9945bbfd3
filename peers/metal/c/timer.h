/*
 * Intrusive timers: the links lie in the caller's own struct, so that nothing is
 * allocated, freed, named or looked up. A timer waits in a circular list whose head is a
 * link too, so that unlinking has no branch. The caller must know that a timer it points to
 * is still there, and still that timer: nothing here can tell.
 *
 * Times are ticks, not durations.
 */
#ifndef TIMER_H
#define TIMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link {
	struct link *next, *prev;
};

/* A timer is pending while link.next is not NULL; all zero is a timer that is not. */
struct timer {
	struct link link; /* first, so that a link is its timer */
	uint64_t due;     /* tick */
};

static inline void list_init(struct link *head)
{
	head->next = head->prev = head;
}

static inline bool list_empty(const struct link *head)
{
	return head->next == head;
}

static inline void list_add(struct link *head, struct link *l)
{
	struct link *first = head->next;

	l->next = first;
	l->prev = head;
	first->prev = l;
	head->next = l;
}

static inline void list_remove(struct link *l)
{
	struct link *next = l->next, *prev = l->prev;

	next->prev = prev;
	prev->next = next;
}

/* list_move puts all of a list at the end of another, in constant time. */
static inline void list_move(struct link *from, struct link *to)
{
	struct link *last = to->prev;

	if (list_empty(from))
		return;
	from->next->prev = last;
	last->next = from->next;
	from->prev->next = to;
	to->prev = from->prev;
	list_init(from);
}

/* timer_pop takes the first timer out of a list of those that are due; NULL if there is none. */
static inline struct timer *timer_pop(struct link *due)
{
	struct link *first = due->next;

	if (first == due)
		return NULL;
	list_remove(first);
	first->next = NULL;
	return (struct timer *)first;
}

/* timer_cancel reports whether the timer was pending, which it is not any more. */
static inline bool timer_cancel(struct timer *t)
{
	if (t->link.next == NULL)
		return false;
	list_remove(&t->link);
	t->link.next = NULL;
	return true;
}

#endif
