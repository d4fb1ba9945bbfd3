/*
 * Does the same work as play.go does with a scheduler, and prints the same lines: a line for each
 * lap, with the nanoseconds of an operation and of the loop alone, and one of what fired.
 *
 *     PROGRAM pair|reset|later|run-out PENDING COUNT LAPS SEED SLOTS
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#ifdef HASHED
#include "hashed.h"
#else
#include "hierarchical.h"
#endif

enum {
	DRAWS = 1 << 20,         /* drawn beforehand, and used again and again */
	SECOND = 1000,           /* in ticks */
	MINUTE = 60 * SECOND,
	HOUR = 60 * MINUTE,
	CHECKS = 16              /* steps in which what is left is run out */
};

/* The caller's struct, in which the timer lies. */
struct job {
	struct timer timer;
	uint64_t value;
};

struct draw {
	uint32_t pick;  /* one of the jobs */
	uint32_t ticks; /* a second to an hour */
};

static struct wheel *wheel;
static struct job *jobs;
static uint64_t pending;
static struct draw *draws;
static uint64_t at; /* of the draws */
static uint64_t fired, sum;

/* random64 is SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t random64(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* below maps 32 random bits to a number less than n, which is less than 2^32. */
static uint64_t below(uint64_t n, uint64_t bits)
{
	return (bits & UINT32_MAX) * n >> 32;
}

static void draw_all(uint64_t seed)
{
	for (int i = 0; i < DRAWS; i++) {
		uint64_t r = random64(&seed);

		draws[i].pick = below(pending, r >> 32);
		draws[i].ticks = SECOND + below(HOUR - SECOND, r);
	}
}

static struct draw next_draw(void)
{
	return draws[at++ & (DRAWS - 1)];
}

/* expire takes out what is due, and adds up what came out when. */
static void expire(uint64_t now)
{
	struct link due;
	struct timer *t;

	list_init(&due);
	wheel_expire(wheel, now, &due);
	while ((t = timer_pop(&due)) != NULL) {
		fired++;
		sum += ((struct job *)t)->value * now;
	}
}

/* What can be timed. */
struct operation {
	const char *name;
	void (*fill)(void);           /* is not timed */
	void (*work)(uint64_t count);
	void (*alone)(uint64_t count); /* the loop around the work */
	bool runs_out;                /* what was filled is gone after the work */
};

/* WANTED says that a value is, or the compiler leaves out whatever makes it. */
#define WANTED(value) __asm__ volatile("" : : "r"(value))

static void fill_hour(void)
{
	for (uint64_t i = 0; i < pending; i++) {
		jobs[i].value = i;
		wheel_schedule(wheel, &jobs[i].timer, next_draw().ticks);
	}
}

static void pairs(uint64_t count)
{
	while (count-- > 0) {
		struct draw d = next_draw();
		struct job *j = &jobs[d.pick];

		timer_cancel(&j->timer);
		j->value = at;
		wheel_schedule(wheel, &j->timer, d.ticks);
	}
}

static void resets(uint64_t count)
{
	while (count-- > 0) {
		struct draw d = next_draw();
		struct job *j = &jobs[d.pick];

		if (timer_cancel(&j->timer))
			wheel_schedule(wheel, &j->timer, d.ticks);
	}
}

/* laters moves timers behind all others, 64 to a tick. */
static void laters(uint64_t count)
{
	while (count-- > 0) {
		struct job *j = &jobs[next_draw().pick];

		if (timer_cancel(&j->timer))
			wheel_schedule(wheel, &j->timer, HOUR + at / 64);
	}
}

static void draws_alone(uint64_t count)
{
	while (count-- > 0) {
		struct draw d = next_draw();

		WANTED(&jobs[d.pick]);
		WANTED((uint64_t)d.ticks);
	}
}

static void fill_minute(void)
{
	for (uint64_t i = 0; i < pending; i++) {
		jobs[i].value = i;
		wheel_schedule(wheel, &jobs[i].timer, wheel->now + 1 + next_draw().ticks % MINUTE);
	}
}

/* runs_out takes so many minutes, tick by tick. */
static void runs_out(uint64_t count)
{
	for (uint64_t now = wheel->now + 1, end = wheel->now + count * MINUTE; now <= end; now++)
		expire(now);
}

static void ticks_alone(uint64_t count)
{
	for (uint64_t now = 1; now <= count * MINUTE; now++)
		WANTED(now);
}

static const struct operation operations[] = {
	{"pair", fill_hour, pairs, draws_alone, false},
	{"reset", fill_hour, resets, draws_alone, false},
	{"later", fill_hour, laters, draws_alone, false},
	{"run-out", fill_minute, runs_out, ticks_alone, true},
};

/* seconds is how long the processor takes to do something count times. */
static double seconds(void (*work)(uint64_t), uint64_t count)
{
	clock_t begin = clock();

	work(count);
	return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* warm_up fills what stays filled, and works until what is pending is in no order. */
static void warm_up(const struct operation *o)
{
	if (o->runs_out)
		return;
	o->fill();
	o->work(2 * pending);
}

/* lap times count operations, or run-outs, of which each timer is one operation. */
static void lap(const struct operation *o, uint64_t count)
{
	double with = 0, alone = seconds(o->alone, count), each = 1e9 / count;

	if (o->runs_out) {
		each /= pending;
		for (uint64_t i = 0; i < count; i++) {
			o->fill();
			with += seconds(o->work, 1);
		}
	} else {
		with = seconds(o->work, count);
	}
	printf("lap %.4f %.4f\n", with * each, alone * each);
}

static uint64_t number(const char *text, uint64_t most)
{
	char *end;
	uint64_t n;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || *text == '-' || n > most) {
		fprintf(stderr, "%s: want a number up to %llu\n", text, (unsigned long long)most);
		exit(2);
	}
	return n;
}

static const struct operation *named(const char *name)
{
	for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
		if (strcmp(operations[i].name, name) == 0)
			return &operations[i];
	fprintf(stderr, "%s: no such operation\n", name);
	exit(2);
}

/* aligned returns memory that is all zero and begins with a cache line, or NULL. */
static void *aligned(size_t size)
{
	const size_t line = 64;
	size_t whole = (size + line - 1) / line * line;
	void *p = aligned_alloc(line, whole);

	return p == NULL ? NULL : memset(p, 0, whole);
}

int main(int argc, char **argv)
{
	if (argc != 7) {
		fprintf(stderr, "want OPERATION PENDING COUNT LAPS SEED SLOTS\n");
		return 2;
	}
	const struct operation *o = named(argv[1]);
	pending = number(argv[2], UINT32_MAX);
	uint64_t count = number(argv[3], UINT32_MAX), laps = number(argv[4], UINT32_MAX);
	uint64_t seed = number(argv[5], UINT64_MAX);

	wheel = wheel_new(number(argv[6], UINT32_MAX));
	jobs = aligned(pending * sizeof *jobs);
	draws = aligned(DRAWS * sizeof *draws);
	if (wheel == NULL || jobs == NULL || draws == NULL) {
		fprintf(stderr, "out of memory\n");
		return 1;
	}
	draw_all(seed);
	warm_up(o);
	for (uint64_t i = 0; i < laps; i++)
		lap(o, count);
	for (int i = 0; i < CHECKS; i++)
		expire(wheel->now + 2 * HOUR / CHECKS);
	printf("fired %llu %llu\n", (unsigned long long)fired, (unsigned long long)sum);
	return 0;
}
