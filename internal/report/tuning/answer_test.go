package tuning

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/tune"
	"schedbench/workload"
)

const ms = time.Millisecond

// played returns a candidate with a lateness, in milliseconds, and blocks of CPU, in % of a core.
func played(c catalog.Config, late float64, cpu ...float64) *tune.Candidate {
	blocks := lists.Each(cpu, func(v float64) float64 { return v / 100 })
	e := judge.Estimate{Value: late / 1000, Low: 0.95 * late / 1000, High: 1.05 * late / 1000}
	f := &tune.Figures{CPU: judge.Mean(blocks), Lateness: judge.Average{Estimate: e}, Wakeups: 250, Memory: 2048, Played: 8 * time.Second}
	return &tune.Candidate{Config: c, Heat: f, Final: f}
}

var (
	timer   = catalog.Config{Scheduler: catalog.RuntimeTimer}
	heap    = catalog.Config{Scheduler: catalog.Heap}
	wheel   = catalog.Config{Scheduler: catalog.Hier, Tick: ms, Slots: 256}
	ticking = catalog.Config{Scheduler: catalog.Hier, Tick: 5 * ms, Slots: 256, Waking: catalog.Ticking, Waiting: catalog.Precise}
)

func chosen(r tune.Requirements, all ...*tune.Candidate) *Answer {
	ch := &tune.Choice{Segment: &tune.Segment{Source: workload.Source{Name: "some"}, Scale: 1}, Requirements: r, Candidates: all}
	ch.Decide()
	return &Answer{Choice: ch}
}

func written(t *testing.T, a *Answer) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, a.Write(&b))
	return strings.Join(strings.Fields(b.String()), " ") // without folds
}

// TestEachSentenceIsSaidWhereItIsTrue has, for each sentence, an answer with it and one without.
func TestEachSentenceIsSaidWhereItIsTrue(t *testing.T) {
	limit := tune.Requirements{Lateness: 2 * ms}
	dear, cheap := played(timer, 1, 3, 3.1, 3.2), played(wheel, 1, 1, 1.1, 1.2)
	base := chosen(limit, dear, cheap)
	alone := chosen(limit, played(wheel, 1, 1, 1.1, 1.2))
	with := func(change func(*Answer), all ...*tune.Candidate) *Answer {
		a := chosen(limit, all...)
		change(a)
		return a
	}
	replays := func(a *Answer) { a.ByHeat = "it is more than this machine plays" }
	byHeat := with(func(a *Answer) { replays(a); a.Decide() }, played(wheel, 1, 1, 1.1, 1.2))
	assumed := with(func(a *Answer) { a.Assumed = true }, cheap)
	silent := chosen(limit, played(wheel, math.NaN(), 1, 1.1, 1.2))
	unclear := chosen(tune.Requirements{Lateness: 2 * ms, CPU: 0.0115}, played(wheel, 1, 1, 1.1, 1.2))
	over := chosen(tune.Requirements{CPU: 0.0109}, played(wheel, 1, 1, 1.1, 1.2))
	none := chosen(tune.Requirements{Lateness: 2 * ms, CPU: 0.02}, dear, played(ticking, 5, 1, 1, 1))
	both := chosen(tune.Requirements{Lateness: ms / 10, CPU: 0.001}, played(heap, 1, 2, 2, 2))
	ruled := chosen(limit, cheap)
	ruled.Candidates = append(ruled.Candidates, &tune.Candidate{Config: ticking, Ruled: "a tick of 5ms is late"})
	explained := func(limits tune.Requirements, c *tune.Candidate) *Answer {
		a := chosen(limits, dear, cheap)
		c.Name, a.Explained = "netty", c
		a.Candidates = append(a.Candidates, c)
		return a
	}
	system := explained(limit, played(ticking, 5, 2, 2.1, 2.2))
	system.Explained.Ruled = "a tick of 100ms is late"
	keeps := explained(limit, played(wheel, 1, 1, 1.1, 1.2))
	unsure := explained(tune.Requirements{Lateness: 2 * ms, CPU: 0.0115}, played(wheel, 1, 1, 1.1, 1.2))
	absent := with(func(a *Answer) {
		a.Explained = &tune.Candidate{Name: "netty", Config: ticking, Note: "gave up: behind"}
	}, dear, cheap)
	against := func(pick, other []float64) *Answer {
		more := judge.Differ(pick, other, 0, judge.Terms{})
		of := &tune.Regret{Rival: cheap, Of: 40, Pick: judge.Mean(pick).Estimate, Other: judge.Mean(other).Estimate, More: more}
		return with(func(a *Answer) { a.Regret = of }, dear, cheap)
	}
	dearer := against([]float64{0.012, 0.0121, 0.0119, 0.012}, []float64{0.011, 0.0111, 0.0109, 0.0109})
	cheaper := against([]float64{0.011, 0.0111, 0.0109, 0.0109}, []float64{0.012, 0.0121, 0.0119, 0.012})
	level := against([]float64{0.011, 0.013, 0.011, 0.013}, []float64{0.0125, 0.0115, 0.0125, 0.0115})
	regret := with(func(a *Answer) { a.Regret = &tune.Regret{Of: 40} }, dear, cheap)
	crowded := with(func(a *Answer) { a.Others = 0.14 }, cheap)
	calm := with(func(a *Answer) { a.Others = 0.02 }, cheap)
	near := func() *tune.Candidate {
		c := played(wheel, 1.95, 1, 1.1, 1.2)
		c.Final.Lateness.High = 0.00199
		return c
	}
	barely, tight := chosen(limit, dear, near()), chosen(limit, played(heap, 2.01, 1, 1, 1), near())
	once := with(replays, played(wheel, 1, 1.1), played(timer, 1, 3))
	priced := with(replays, played(timer, 1, 1, 1, 1), cheap)
	replayed := with(func(a *Answer) { a.Candidates[1].Final, a.Why = nil, true }, dear, near())
	costly := chosen(limit, cheap, played(ticking, 5, 2, 2.1, 2.2))
	costly.Candidates[1].Ruled = "a tick of 5ms is late"
	below := chosen(limit, played(heap, 1, -0.02, 0, 0.01, -0.01), dear)
	tiny := chosen(limit, played(heap, 1, 1e-7, 1e-7, 1e-7), dear)
	few := with(func(a *Answer) { a.Pick.Final.Fired = 3 }, played(wheel, 1, 1, 1.1, 1.2))
	timed := with(func(a *Answer) { a.Took = 57 * time.Second }, cheap)
	list := chosen(limit, played(catalog.Config{Scheduler: catalog.List}, 1, 1, 1.1, 1.2))

	for _, c := range []struct {
		said     string
		in, less *Answer
	}{
		{"PICK hierwheel, a tick of 1ms, 256 slots a level, sleeping until due", base, none},
		{": no scheduler saves enough CPU within the limits", chosen(limit, played(timer, 1, 1, 1, 1), cheap), base},
		{"waking at every tick, waiting precisely", chosen(tune.Requirements{MustTick: true, Lateness: 20 * ms}, played(ticking, 5, 1, 1, 1)), base},
		{"99 % of the timers at most 1 ms (950 µs to 1.05 ms) late", base, byHeat},
		{"measured on the real clock for 8s, beside the others", base, byHeat},
		{"by replay in virtual time: it is more than this machine plays", byHeat, base},
		{"from 3 replays: time per operation × rate + wake-ups × the price of a wake-up here", byHeat, base},
		{"(computed, not measured)", byHeat, base},
		{"REPLAYED of some", byHeat, base},
		{"MEASURED on some CANDIDATE", base, byHeat},
		{"MEASURED on some in 57s", timed, base},
		{"no timer fired meanwhile", silent, base},
		{"at most 1 ms late, of only 3 timers that fired", few, base},
		{"COSTS under 0.016 % of a core", below, base},
		{"heapsched, sleeping, runtime waiting 0 % ± 0.021 %", below, base},
		{"3.1 % against 0 %; it takes 3.1 %", below, base},
		{"COSTS under 0.0001 % of a core", tiny, base},
		{"lateness: no timer fired, at most 2 ms allowed", silent, base},
		{"lateness: 1 ms left of the 2 ms allowed", base, silent},
		{"CPU: unclear, 0.01 % more than the 1.09 % allowed", over, unclear},
		{"whether the pick keeps the limit of CPU is unclear", unclear, base},
		{"CPU: unclear, 0.05 % left of the 1.15 % allowed", unclear, base},
		{"whether the pick keeps the limit of lateness was not measured: for 99 % too few timers fired", silent, base},
		{"too few: too few timers fired to measure lateness", few, base},
		{"no limit for lateness was given: 2 ms at 99 % is assumed", assumed, base},
		{"RUNNER-UP time.AfterFunc: 3.1 % against 1.1 %; it takes 2 % of a core more than the pick", base, alone},
		{"RUNNER-UP no other candidate keeps the limits as surely", alone, base},
		{"RUNNER-UP no other candidate keeps the limits as surely", tight, base},
		{"from 1 replay:", once, byHeat},
		{"priced 3 times: time per operation", priced, byHeat},
		{"the difference from the pick is below the 0.1 % of a core that counts", chosen(limit, played(timer, 1, 1, 1, 1), played(wheel, 1, 1, 1.01, 1)), base},
		{"whether it takes more than the pick is unclear", chosen(limit, played(timer, 1, 1, 3, 5), played(wheel, 1, 1, 2, 1)), base},
		{"nothing that was measured keeps what is asked for: 99 % at most 2 ms late; at most 2 % of a core", none, base},
		{"BINDS lateness and CPU: to relax one is enough", none, both},
		{"allow 5 ms late: hierwheel, a tick of 5ms, 256 slots a level, waking at every tick, waiting precisely keeps the rest", none, both},
		{"allow 3.1 % of a core: time.AfterFunc keeps the rest", none, both},
		{"BINDS CPU and lateness together; the nearest is heapsched, sleeping until due", both, none},
		{"1 candidate excluded by rule: a tick of 5ms is late", ruled, base},
		{"excluded by rule", ruled, system},
		{"excluded by rule", ruled, costly},
		{"JUDGED netty on some: hierwheel 5ms x 256, ticking, precise waiting", system, base},
		{"2.1 % against 1.1 %; it takes 1 % of a core more than the pick", system, base},
		{"it does not keep the limits: lateness: 3 ms more than the 2 ms allowed", system, base},
		{"it keeps the limits: lateness: 1 ms left", keeps, system},
		{"runtime waiting it keeps the limits", keeps, unsure},
		{"it is unclear whether it keeps the limits: ", unsure, keeps},
		{"it does not keep the limits", system, unsure},
		{"not measured: gave up: behind", absent, system},
		{"1.2 % (1.19 % to 1.21 %) of a core for the pick, 1.1 % for hierwheel, a tick of 1ms, 256 slots a level, sleeping until due, the best other of all 40 played: 0.095 % to 0.11 % more", dearer, cheaper},
		{"the best other of all 40 played: 0.095 % to 0.11 % less", cheaper, dearer},
		{"the best other of all 40 played: from 0.276 % less to 0.276 % more", level, dearer},
		{"REGRET no other of all 40 played keeps the limits with 5 % to spare", regret, level},
		{"other processes took 14 % of the processors' time", crowded, calm},
		{"below the 1 % of a core that counts", chosen(limit, played(timer, 1, 10.5, 10.5, 10.5), played(wheel, 1, 10, 10, 10)), base},
		{"barely: within 5 % of a limit", barely, base},
		{"barely: within 5 % of a limit, where noise decides; picked only if no other keeps the limits by more", replayed, base},
		{"PICK time.AfterFunc", barely, base},
		{"a sorted list walks past all pending timers", list, base},
		{"hierwheel.New[driver.Task](time.Millisecond, 256)", base, none},
		{"at most 2 kB; at most 10/s wake-ups; a driver that does not tick; no precise waiting", chosen(tune.Requirements{Memory: 2000, Wakeups: 10, MustNotTick: true, NotPrecise: true}, played(heap, 1, 1, 1, 1)), base},
		{"allow 2.05 kB: heapsched, sleeping until due keeps the rest", chosen(tune.Requirements{Memory: 2000}, played(heap, 1, 1, 1, 1)), base},
		{"allow 250/s wake-ups: heapsched", chosen(tune.Requirements{Wakeups: 10}, played(heap, 1, 1, 1, 1)), base},
		{"allow another way of waking or waiting: heapsched", chosen(tune.Requirements{MustTick: true}, played(heap, 1, 1, 1, 1)), base},
		{"nothing could be measured", chosen(limit), base},
	} {
		t.Run(c.said, func(t *testing.T) {
			require.Contains(t, written(t, c.in), c.said)
			require.NotContains(t, written(t, c.less), c.said)
		})
	}
}

func TestTheTableSaysWhoKeepsTheLimits(t *testing.T) {
	a := chosen(tune.Requirements{Lateness: 2 * ms}, played(timer, 1, 3, 3.1, 3.2), played(heap, 2.01, 2, 2, 2), played(wheel, 1, 1, 1.1, 1.2), played(ticking, 5, 0.5, 0.5, 0.5))
	grid := a.table().Grid()
	require.Equal(t, []string{"CANDIDATE", "CPU", "LATE AT 99 %", "WAKE-UPS", "MEMORY", "KEEPS", "MORE THAN PICK"}, grid[0])
	found := map[string][]string{}
	for _, row := range grid {
		found[row[0]] = row[5:]
	}
	require.Equal(t, []string{"yes", "yes"}, found["time.AfterFunc"])
	require.Equal(t, []string{"unclear", "yes"}, found[heap.String()])
	require.Equal(t, "no: lateness", found[ticking.String()][0])
	require.Equal(t, "less", found[ticking.String()][1])
	require.Equal(t, "-", found[wheel.String()][1], "the pick")
	require.Equal(t, ticking.String(), grid[1][0], "the least first")

	a.Requirements.MustTick = true
	require.Equal(t, "no: waking", a.kept(a.Pick))

	a.Candidates = append(a.Candidates, &tune.Candidate{Config: catalog.Config{Scheduler: catalog.List}, Note: "it gave up"})
	require.Equal(t, 4, a.table().Rows())
	a.Why = true
	require.Equal(t, 5, a.table().Rows(), "with --why all")
}
