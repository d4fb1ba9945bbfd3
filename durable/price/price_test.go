package price

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
)

// TestMain is the process of a job, if it was started to be one.
func TestMain(m *testing.M) {
	if IsChild() {
		if err := Child(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// A sentence is of usual data, and becomes another if somebody takes more or less: both are patterns.
func TestEachSentenceAppearsWhereItIsTrueAndNotElsewhere(t *testing.T) {
	usually := said(t, 0.01, as)
	const kept = "know that it is kept, embedded and synced each second, which is "
	for name, c := range map[string]struct {
		says   string
		change func(Keeper, int, string) float64
		then   string
	}{
		"a schedule":        {kept + `(99|10).*× \S+ to \S+ as long as hierwheel`, times(wheel, AckedNs, 100), kept + `as long as hierwheel in memory`},
		"beside AfterFunc":  {kept + `.* and (99|10)\S+ .* as long as time.AfterFunc`, times(afterFunc, AckedNs, 100), kept + `.* and as long as time.AfterFunc`},
		"one of many":       {`kept at the end, .* which is 3\d\S+ .* as long as hierwheel`, times(wheel, PostedNs, 350), `kept at the end, .* which is 0\.1\S* .* as long as hierwheel`},
		"a cancellation":    {`to cancel one and know it, emb.* which is 1[89]\d× `, times(durableNow, CancelNs, 100.0/19_000), `to cancel one and know it, emb.* which is as long as hierwheel`},
		"the bare client":   {`engine by itself, .*: schedule, acknowledged, as long`, times(bareClient, AckedNs, 0.5), `engine by itself, .*: schedule, acknowledged, (2|1\.9)\S*× `},
		"CPU":               {`is 2[45]\S* µs \S+ to schedule a timer`, times(durableNow, AckedCPU, 2), `is (49|5)\S* µs \S+ to schedule a timer`},
		"the sync":          {`with 100k timers held: schedule, acknowledged, (99|10)\S+×`, times(durableSync, AckedNs, 0.01), `before it is ack.*: schedule, acknowledged, as long`},
		"the cluster":       {`On 3 .*; schedule, one of many, (2.9|3)\S*× `, times(cluster, PostedNs, 1.0/3), `On 3 .*; schedule, one of many, as long`},
		"the heap":          {`of heap, which is (9.|10)\S*× `, times(durableNow, rundata.BytesPerTimer, 0.1), `of heap, which is as much as hierwheel`},
		"the disk":          {`is (39|40)\d B \S+ on disk`, times(durableNow, DiskPerTimer, 2), `is (79|8)\S+ B \S+ on disk`},
		"a crash":           {`holds 1M .*was killed, .*which is (2.9|3)\S*× .*as long\.`, times(durableNow, CrashedNs, 1.0/3), `was killed, .*which is as long \(`},
		"lateness":          {`hierwheel alone: (1|9\d\d)\S* .s more`, times(durableNow, rundata.P99Late, 0.501), `hierwheel alone: they are no more than 100 µs apart`},
		"the engine":        {`alone is at most .* which is 12\d× .* late as with it`, times(engineAlone, rundata.P99Late, 0.008), `alone is at most .*, which is as late as with it`},
		"the cluster, late": {`those embedded: they are no more`, times(cluster, rundata.P99Late, 5), `those embedded: (7.9|8)\S* ms more`},
		"a server killed":   {`comes back after 2s, 99 % of timers are at most (5.9|6)\S* s \S+ late, and .*: (5.9|6)\S* s more`, times(killed, rundata.P99Late, 2.0/6000), `comes back after 2s, .* where none is killed: they are no more than 100 µs apart`},
		"for how long": {`Of the 14s in which .* then, 7 s \S+ have one .*, and 0 s where no server is killed: 7 s more`, func(k Keeper, _ int, unit string) float64 {
			return pick(k.Killed && strings.HasPrefix(unit, "late-at"), 1e-3)
		},
			`Of the 14s in which .* then, 0 s have one .*: they are no more than 100 ms apart`},
		"or longer": {`then, 7 s \S+ have one`, func(k Keeper, _ int, unit string) float64 {
			return pick(k.Killed && unit == LateAt(12_750*time.Millisecond), 1000)
		},
			`then, at least 7.25 s \S+ have one`},
		"idle": {`holds none takes .*: they are no more than 0.1 % of a core apart`, func(k Keeper, held int, _ string) float64 { return pick(k == durableNow && held > 0, 10) },
			`holds none takes .*: 3.[56]\S* % of a core more`},
		"idle beside memory": {`In memory .*: 0.3\S* % of a core more|In memory .*: 0.29\S* % of a core more`, times(wheel, rundata.CPUPerSecond, 4), `In memory .*: they are no more`},
		"what a poll costs":  {`A poll each 10ms .*, for more CPU`, times(poller(10*time.Millisecond), rundata.CPUPerSecond, 0.1667), `A poll each 10ms .*, for as much CPU`},
		"what it saves":      {`A poll each 5s .*, for as much CPU`, times(durableNow, rundata.CPUPerSecond, 100), `A poll each 5s .*, for less CPU`},
		"what it gives":      {`A poll each 5s .*: 2\d\d\d× .*as late as dur`, times(poller(5*time.Second), rundata.P99Late, 1.0/2500), `A poll each 5s .*: as late as durable timers`},
	} {
		changed := said(t, 0.01, c.change)
		require.Regexp(t, c.says, usually, name)
		require.NotRegexp(t, c.then, usually, name)
		require.Regexp(t, c.then, changed, name)
		require.NotRegexp(t, c.says, changed, name)
	}
	require.NotContains(t, usually, "told")
}

// What scatters by more than it differs is told of nobody.
func TestWhatScattersIsNotTold(t *testing.T) {
	same := func(k Keeper, held int, unit string) float64 {
		like := wheel
		if unit == rundata.CPUPerSecond { // more than what nobody would notice
			return 1e8 / usual(k, held, unit)
		}
		if u := usual(like, held, unit); u > 0 {
			return u / usual(k, held, unit)
		}
		return pick(unit == CrashedNs, usual(k, held, ReadyNs)/usual(k, held, CrashedNs))
	}
	const draws, most = 20, 4 // of which 5 % may tell what is not so, and chance a few more
	var noisy []string
	for seed := range uint64(draws) {
		m := made{blocks: 5, scatter: 0.7, seed: seed, of: func(k Keeper, held int, unit string) float64 {
			return usual(k, held, unit) * same(k, held, unit)
		}}
		noisy = append(noisy, strings.Join(Sentences(m.data(t, Default())), "\n"))
	}
	matching := func(pattern string) (n int) {
		for _, s := range noisy {
			if regexp.MustCompile(pattern).MatchString(s) {
				n++
			}
		}
		return n
	}
	for _, says := range []string{
		"which is not told apart from hierwheel in memory \\(.* more block.*and not told apart from time.AfterFunc",
		"schedule, acknowledged, not told apart \\(", "of heap, which is not told apart from hierwheel", "was killed, .* which is not told apart \\(",
		"alone: what lies between them cannot be told \\(.* more block", "which is not told apart from with it", "holds none takes .*: what lies between them cannot be told",
		"A poll each 1s .*not told apart from durable timers .*, for CPU time that is not told apart",
	} {
		require.GreaterOrEqual(t, matching(says), draws-most, says)
	}
	for _, never := range []string{"kept, .*as long as hierwheel", "as late as with it", "holds none takes .*which counts as none", "A poll each 1s .* as late as durable"} {
		require.LessOrEqual(t, matching(never), most, never)
	}
}

// pick returns a factor where something holds, and 1 elsewhere.
func pick(holds bool, factor float64) float64 {
	if holds {
		return factor
	}
	return 1
}

func TestWrongAnswersAreSaid(t *testing.T) {
	m := made{blocks: 5, scatter: 0.01, of: usual}
	for unit, want := range map[string]string{rundata.Early: "1 were early", rundata.Lost: "1 never fired", rundata.Doubled: "1 fired twice"} {
		d := m.data(t, Default())
		all := strings.Join(Sentences(d), "\n")
		require.Contains(t, all, "timers fired once and not early.")
		require.NotContains(t, all, "WRONG")
		results{d}.series(LiveExperiment, durableSync, 100_000).Values[unit][2] = 1
		all = strings.Join(Sentences(d), "\n")
		require.Contains(t, all, "WRONG")
		require.Contains(t, all, want)
		require.NotContains(t, all, "timers fired once and not early.")
	}
}

// Where a server is killed, a timer may run twice, and may not be lost or early.
func TestWhatBecomesOfTimersOfAServerThatIsKilledIsCounted(t *testing.T) {
	m := made{blocks: 5, scatter: 0.01, of: usual}
	asked := func(d *rundata.Data) string {
		var b strings.Builder
		require.NoError(t, results{d}.limitsTable().Write(&b))
		return b.String()
	}
	d := m.data(t, Default())
	all := strings.Join(Sentences(d), "\n")
	require.Contains(t, all, "of 5k timers that were acknowledged before, 0 were lost, 0 were early and 0 ran twice.")
	require.Contains(t, all, "timers fired once and not early.")

	results{d}.ofChange(killed).Values[rundata.Doubled][3] = 2
	all = strings.Join(Sentences(d), "\n")
	require.Contains(t, all, "0 were lost, 0 were early and 2 ran twice.")
	require.Contains(t, all, "timers fired once, but for 2 that ran twice where a server was killed, and not early.")
	require.NotContains(t, all, "WRONG")
	require.NotContains(t, asked(d), "fails")

	for unit, want := range map[string]string{rundata.Lost: "5 were lost, 0 were early", rundata.Early: "0 were lost, 5 were early"} {
		d := m.data(t, Default())
		for i := range 5 {
			results{d}.ofChange(killed).Values[unit][i] = 1
		}
		all := strings.Join(Sentences(d), "\n")
		require.Contains(t, all, want)
		require.Contains(t, all, "WRONG")
		require.Contains(t, asked(d), "fails")
	}

	d = m.data(t, Default())
	results{d}.ofChange(cluster).Values[rundata.Doubled][0] = 1
	require.Contains(t, strings.Join(Sentences(d), "\n"), "WRONG", "of a cluster that is left alone")
}

func TestASoakIsCounted(t *testing.T) {
	c := Default()
	c.Soak, c.SoakFor = 1_000_000, 10*time.Minute
	d := made{blocks: 1, of: usual}.data(t, c)
	all := strings.Join(Sentences(d), "\n")
	require.Contains(t, all, "0 were lost, 0 were early and 0 fired twice")
	d.Series[0].Values[rundata.Lost][0], d.Series[0].Values[rundata.Doubled][0] = 2, 1
	all = strings.Join(Sentences(d), "\n")
	require.Contains(t, all, "2 were lost, 0 were early and 1 fired twice")
	require.Contains(t, all, "WRONG")
	require.NotContains(t, strings.Join(Sentences(made{blocks: 5, of: usual}.data(t, Default())), "\n"), "arrived at random")
}

// One block has no interval: not one of nothing, as if the next would come to the same.
func TestOneBlockIsNotCertain(t *testing.T) {
	for blocks, certain := range map[int]bool{1: false, 5: true} {
		var b strings.Builder
		require.NoError(t, Write(&b, made{blocks: blocks, of: usual}.data(t, Default())))
		require.Equal(t, certain, strings.Contains(b.String(), "±0%"), b.String())
		require.Equal(t, !certain, strings.Contains(b.String(), "±∞"), b.String())
	}
}

func TestNothingIsSaidOfWhatWasNotMeasured(t *testing.T) {
	require.Empty(t, Sentences(&rundata.Data{}))
	d := made{blocks: 5, scatter: 0.01, of: usual}.data(t, Default())
	all := d.Series
	for _, leave := range []string{HeldExperiment, LiveExperiment, ChangeExperiment, PollExperiment} {
		d.Series = nil
		for _, s := range all {
			if s.Experiment == leave {
				d.Series = append(d.Series, s)
			}
		}
		d.Complete = false
		text := strings.Join(Sentences(d), "\n")
		require.Equal(t, leave == HeldExperiment, strings.Contains(text, "fresh process"))
		require.Equal(t, leave == LiveExperiment, strings.Contains(text, "engine alone"))
		require.Equal(t, leave == ChangeExperiment, strings.Contains(text, "is killed"))
		require.Equal(t, leave == PollExperiment, strings.Contains(text, "A poll each"))
		require.Contains(t, text, "The run is not complete")
		require.NotContains(t, text, "NaN")
		require.NotContains(t, text, "  ")
	}
}

func TestWhatIsAskedHoldsOrFailsOrCannotBeTold(t *testing.T) {
	found := func(scatter float64, change func(Keeper, int, string) float64) string {
		m := made{blocks: 5, scatter: scatter, of: func(k Keeper, held int, unit string) float64 { return usual(k, held, unit) * change(k, held, unit) }}
		var b strings.Builder
		require.NoError(t, results{m.data(t, Default())}.limitsTable().Write(&b))
		return b.String()
	}
	require.Equal(t, 6, strings.Count(found(0.01, as), "holds"))
	for _, unit := range []string{PostedNs, AckedNs, CancelNs, rundata.P99Late} {
		said := found(0.01, times(durableNow, unit, 3))
		require.Equal(t, 5, strings.Count(said, "holds"), said)
		require.Equal(t, 1, strings.Count(said, "fails"), said)
	}
	require.Contains(t, found(2, as), "cannot be told; ")

	d := made{blocks: 5, scatter: 0.01, of: usual}.data(t, Default())
	results{d}.series(LiveExperiment, durableNow, 100_000).Values[rundata.Lost] = []float64{1, 1, 1, 1, 1}
	var b strings.Builder
	require.NoError(t, results{d}.limitsTable().Write(&b))
	require.Contains(t, b.String(), "fails")
}

func TestEverythingIsDrawnAndWritten(t *testing.T) {
	d := made{blocks: 5, scatter: 0.05, of: usual}.data(t, Default())
	names, err := Charts(d, t.TempDir(), true)
	require.NoError(t, err)
	for _, name := range []string{"durable-calls.png", "durable-ready.svg", "durable-lateness.png", "durable-change.png", "durable-idle.png", "durable-poll.png"} {
		require.Contains(t, names, name)
	}
	var report, readme strings.Builder
	require.NoError(t, Write(&report, d))
	require.NoError(t, WriteReadme(&readme, d))
	for _, k := range []Keeper{wheel, afterFunc, durableNow, durableSync, cluster, killed, bareClient, engineAlone, poller(time.Second)} {
		require.Contains(t, report.String(), k.name())
	}
	require.Contains(t, readme.String(), "(charts/durable-poll.png)")
	require.Contains(t, readme.String(), `bench durable \| more`)
	require.NotContains(t, report.String(), "NaN")

	empty, err := Charts(&rundata.Data{}, t.TempDir(), false)
	require.NoError(t, err)
	require.Empty(t, empty)
}

func TestPlansAreSound(t *testing.T) {
	for _, c := range []Config{Default(), Quick()} {
		p, release, err := c.Plan()
		require.NoError(t, err)
		require.NoError(t, p.Check())
		require.NoError(t, release())
		seen := map[Keeper]bool{}
		for _, cell := range p.Custom {
			for _, turn := range cell.Participants {
				s := &rundata.Series{Params: turn.Params}
				seen[keeperOf(s)] = true
				require.Positive(t, turn.Time)
			}
		}
		for _, k := range []Keeper{wheel, afterFunc, durableNow, durableSync, cluster, killed, bareClient, engineAlone, poller(10 * time.Millisecond)} {
			require.True(t, seen[k], "%+v takes part, and is read as itself", k)
		}
	}
	c := Default()
	p, _, err := c.Plan()
	require.NoError(t, err)
	require.Less(t, p.Time(), 16*time.Minute)
}

func TestBadSizesAreRefused(t *testing.T) {
	for want, spoil := range map[string]func(*Config){
		"0 timers held":   func(c *Config) { c.Held = []int{0} },
		"held is given":   func(c *Config) { c.Held = []int{10, 10} },
		"a poll each 1µs": func(c *Config) { c.Intervals = []time.Duration{time.Microsecond} },
		"poll each 1s is": func(c *Config) { c.Intervals = []time.Duration{time.Second, time.Second} },
		"-1 blocks":       func(c *Config) { c.Blocks = -1 },
		"a soak of -1":    func(c *Config) { c.Soak = -1 },
		"over 1s, want":   func(c *Config) { c.Soak, c.SoakFor = 1_000_000, time.Second },
	} {
		c := Default()
		require.NoError(t, c.Check())
		spoil(&c)
		require.ErrorContains(t, c.Check(), want)
		_, _, err := c.Plan()
		require.Error(t, err)
	}
}

func TestNamesSayWhatIsNotUsual(t *testing.T) {
	for want, k := range map[string]Keeper{
		catalog.Hier: wheel, "durable": durableNow, "durable, sync always": durableSync, "durable, 3 servers": cluster, "durable, 3 servers, one killed": killed,
		"engine alone": engineAlone, "bare client": bareClient, "poll each 1s": poller(time.Second),
	} {
		require.Equal(t, want, k.name())
	}
}
