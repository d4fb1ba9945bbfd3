package catalog

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/internal/must"
)

// other is a geometry that presets do not care for.
var other = harness.Geometry{Tick: 7 * sec, Horizon: time.Hour}

func TestPresetsAreWhatTheirNamesSay(t *testing.T) {
	require.Len(t, Presets(), len(everyPreset))
	for i, c := range Presets() {
		require.Equal(t, everyPreset[i].Name, c.Name)
		require.True(t, c.Preset, c.Name)
		require.True(t, c.Live(), c.Name)
		require.Nil(t, c.New, c.Name)
		require.False(t, c.Runtime || c.Baseline || c.HasTick || c.LinearInsert, c.Name)
	}
}

// Numbers, not constants, so that a change of a constant is seen.
func TestPresetsHaveTheConfigOfTheirOriginals(t *testing.T) {
	ticking := Config{Scheduler: Rounds, Tick: 100 * ms, Slots: 512, Waking: Ticking, Inbox: driver.Queued{PerWakeup: 100_000, KeepStopped: true}}
	dubbo, heartbeat, business := ticking, ticking, ticking
	dubbo.Tick, heartbeat.Tick, heartbeat.Slots, business.MaxPending = 30*ms, sec, 128, 1<<22
	threads := driver.Pool{Workers: 4, Full: driver.WaitForRoom}
	thread := driver.Pool{Workers: 1, Queue: 1 << 16, Full: driver.WaitForRoom}
	for name, want := range map[string]Config{
		"netty": ticking, "dubbo": dubbo, "dubbo-heartbeat": heartbeat, "business-wheel": business,
		"kafka":               {Scheduler: Hier, Tick: ms, Slots: 20, Running: thread, AtOnce: true},
		"tokio-like":          {Scheduler: Hier, Tick: ms, Slots: 64, Running: driver.Goroutine{}, AtOnce: true},
		"linux-like":          {Scheduler: NoCascade, Tick: ms, Slots: 64, AtOnce: true},
		"netty-schedule":      {Scheduler: binaryHeap, Inbox: driver.Queued{}},
		"jdk-executor":        {Scheduler: binaryHeapUntilDue, Waiting: Kernel, Running: threads, AtOnce: true},
		"jdk-executor-remove": {Scheduler: binaryHeap, Waiting: Kernel, Running: threads, AtOnce: true},
		"jdk-timer":           {Scheduler: binaryHeapUntilFirst, Waiting: Kernel, Resolution: ms, AtOnce: true},
		"nats":                {Scheduler: binaryHeap, Least: 250 * ms, AtOnce: true},
	} {
		require.Equal(t, want, must.Get(FindSystem(name))(t).Config, name)
	}
}

// eachContestant runs a test for each preset as the harness has it, in virtual time.
func eachContestant(t *testing.T, test func(t *testing.T, c harness.Contestant, late func(time.Duration) time.Duration)) {
	t.Helper()
	for _, c := range Presets() {
		t.Run(c.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, c, latest[c.Name]) })
		})
	}
}

// TestPresetsFireInTime has each start, fire a hundred timers, and stop.
func TestPresetsFireInTime(t *testing.T) {
	eachContestant(t, func(t *testing.T, c harness.Contestant, atMost func(time.Duration) time.Duration) {
		d := must.Get(c.Start(other))(t)
		l := &bench{Driver: d, t: t, began: time.Now()}
		rng := rand.New(rand.NewPCG(1, 2))
		fired := make(chan time.Duration, 100)
		for range 100 {
			pass(time.Duration(rng.Int64N(int64(10 * ms))))
			delay := time.Duration(rng.Int64N(int64(10 * sec)))
			deadline := l.now() + delay
			l.after(delay, func() {
				late := l.now() - deadline
				if early := -late; early > 0 && (!c.EarlyByDesign || early >= jdkTimerClock) || late > atMost(delay) {
					t.Errorf("delay of %v: late by %v", delay, late)
				}
				fired <- late
			})
		}
		pass(time.Minute)
		require.Len(t, fired, 100)
		require.Empty(t, must.Get(d.Close(context.Background()))(t))
	})
}

// TestPresetsKeepToTheirOwnOptions gives each those of another system.
func TestPresetsKeepToTheirOwnOptions(t *testing.T) {
	eachContestant(t, func(t *testing.T, c harness.Contestant, _ func(time.Duration) time.Duration) {
		opts := make([]driver.Option, 0, 10) // with room that nobody may write to
		opts = append(opts, driver.WithWaking(driver.FixedTick(time.Hour)), driver.WithInbox(nil),
			driver.WithRunning(driver.Pool{Workers: 1, Full: driver.Drop}))
		d := must.Get(c.Start(other, opts...))(t)
		defer d.Close(context.Background())
		for _, room := range opts[len(opts):cap(opts)] {
			require.Nil(t, room)
		}
		l := &bench{Driver: d, t: t, began: time.Now()}
		at := l.instants()
		for range 10 {
			l.after(sec, func() { at.note(); time.Sleep(ms) })
		}
		pass(2 * sec)
		require.Len(t, at.all(), 10)
	})
}

// tested finds the name of a test, testFunc where it is declared, and systemName the name of a preset in its literal.
var (
	tested   = regexp.MustCompile(`^(\w+\.)?Test[A-Z]\w+$`)
	testFunc = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)

	systemName = regexp.MustCompile(`^\t+Name: "([^"]+)"`)
)

// TestEveryRowOfATableNamesATest reads the tables in the documentation of the
// presets: each has a test to each row, here or in the package that the row names, and each of these exists.
func TestEveryRowOfATableNamesATest(t *testing.T) {
	exists := map[string]bool{}
	for _, pkg := range []string{"", "driver.", "hierwheel.", "roundswheel.", "schedulers."} {
		files := "*_test.go"
		if pkg != "" {
			files = filepath.Join("..", strings.TrimSuffix(pkg, "."), files)
		}
		for _, text := range sources(t, files) {
			for _, m := range testFunc.FindAllStringSubmatch(text, -1) {
				exists[pkg+m[1]] = true
			}
		}
	}
	tables := map[string]int{}
	for _, text := range sources(t, "preset_*.go") {
		rows := 0 // of the table above
		for _, line := range strings.Split(text, "\n") {
			if m := systemName.FindStringSubmatch(line); m != nil {
				tables[m[1]] = rows
			}
			if line == "}" || line == ")" { // the end of the declaration that the table is for
				rows = 0
			}
			cells := strings.Split(line, "|")
			if len(cells) != 3 || !strings.HasPrefix(line, "//\t") || strings.Contains(line, "shown by") || strings.HasPrefix(line, "//\t---") {
				continue
			}
			require.Len(t, []rune(cells[0]), len("//\t")+40, line)
			require.Len(t, []rune(cells[1]), 42, line)
			name := strings.TrimSpace(cells[2])
			if name == "" {
				require.NotZero(t, rows, line)
				require.Regexp(t, `^//\t  `, line, "the rest of a row")
				continue
			}
			rows++
			require.Regexp(t, tested, name, line)
			require.True(t, exists[name], "%s does not exist", name)
		}
	}
	for _, p := range Presets() {
		require.Greater(t, tables[p.Name], 3, p.Name)
	}
}

func sources(t *testing.T, pattern string) (texts []string) {
	t.Helper()
	for _, name := range must.Get(filepath.Glob(pattern))(t) {
		if strings.HasSuffix(name, "_test.go") != strings.HasSuffix(pattern, "_test.go") {
			continue
		}
		texts = append(texts, string(must.Get(os.ReadFile(name))(t)))
	}
	return texts
}

func TestAConfigSaysWhatItIs(t *testing.T) {
	for want, c := range map[string]Config{
		"heapsched, sleeping, runtime waiting":                    {Scheduler: Heap},
		"listsched, ticking every 5ms, precise waiting":           {Scheduler: List, Tick: 5 * ms, Waking: Ticking, Waiting: Precise},
		"hierwheel 5ms x 256, sleeping, runtime waiting":          {Scheduler: Hier, Tick: 5 * ms, Slots: 256},
		"roundswheel 100ms x 512, ticking, runtime waiting":       {Scheduler: Rounds, Tick: 100 * ms, Slots: 512, Waking: Ticking},
		"heapsched, sleeping, runtime waiting, goroutine running": {Scheduler: Heap, Running: driver.Goroutine{}},
		"binaryheap, sleeping, runtime waiting, queued inbox":     {Scheduler: binaryHeap, Inbox: driver.Queued{}},
	} {
		require.Equal(t, want, c.String())
		require.NoError(t, c.Check())
	}
}

func TestABadConfigIsRefused(t *testing.T) {
	for want, c := range map[string]Config{
		`scheduler "ring", want one of heapsched, fifosched`:           {Scheduler: "ring"},
		"a tick of 0s for hierwheel, want more":                        {Scheduler: Hier, Slots: 4},
		"a tick of 0s for heapsched, want more":                        {Scheduler: Heap, Waking: Ticking},
		"a tick of 1ms for heapsched, whose driver does not tick":      {Scheduler: Heap, Tick: ms},
		"1 slots for hierwheel, want 2 to":                             {Scheduler: Hier, Tick: ms, Slots: 1},
		"8 slots for listsched, which has none":                        {Scheduler: List, Slots: 8},
		"1024 slots of 2562047h47m16.854775807s are longer than a dur": {Scheduler: Rounds, Tick: 1<<63 - 1, Slots: 1024},
	} {
		err := c.Check()
		require.ErrorIs(t, err, ErrConfig)
		require.ErrorContains(t, err, want)
	}
	_, err := Config{Scheduler: "ring"}.Start()
	require.ErrorIs(t, err, ErrConfig)
}

func TestEverySystemCanBeStarted(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Systems() {
		require.NoError(t, s.Config.Check(), s.Name)
		require.NotEmpty(t, s.About)
		require.False(t, seen[s.Name], s.Name)
		seen[s.Name] = true
		d, err := s.Config.Start()
		require.NoError(t, err, s.Name)
		must.Get(d.Close(t.Context()))(t)
	}
	_, err := FindSystem("hashgrid")
	require.ErrorContains(t, err, `unknown system "hashgrid", want one of netty, dubbo, `)
	require.Equal(t, time.Second, must.Get(FindSystem("dubbo-heartbeat"))(t).Config.Tick)
}
