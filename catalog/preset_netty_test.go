package catalog

import (
	"context"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/roundswheel"
	"schedbench/schedulers"
)

// eachNetty runs a test for the presets that are Netty's wheel, with its tick and
// slots or others, in virtual time.
func eachNetty(t *testing.T, test func(t *testing.T, like func(Netty) preset)) {
	t.Helper()
	for name, like := range map[string]func(Netty) preset{
		"netty": func(n Netty) preset { return n },
		"dubbo": func(n Netty) preset { return Dubbo(orNetty(n)) },
		"business-wheel": func(n Netty) preset {
			return BusinessWheel{Tick: n.Tick, Slots: n.Slots, Logger: n.Logger}
		},
	} {
		t.Run(name, func(t *testing.T) { in(t, func(t *testing.T) { test(t, like) }) })
	}
}

// orNetty gives Dubbo the defaults of Netty.
func orNetty(n Netty) Netty {
	if n.Tick == 0 {
		n.Tick = 100 * ms
	}
	return n
}

// wheelOf returns the wheel of a preset.
func wheelOf(t *testing.T, p preset) *roundswheel.Wheel[driver.Task] {
	t.Helper()
	s, err := New[driver.Task](p.config())
	require.NoError(t, err)
	return s.(*roundswheel.Wheel[driver.Task])
}

func TestNettyHasItsTickAndSlots(t *testing.T) {
	for _, p := range []preset{Netty{}, BusinessWheel{}} {
		require.Equal(t, 100*ms, wheelOf(t, p).Tick())
		require.Equal(t, 512, wheelOf(t, p).Slots())
	}
}

func TestDubboHasItsTickAndSlots(t *testing.T) {
	require.Equal(t, 30*ms, wheelOf(t, Dubbo{}).Tick())
	require.Equal(t, 512, wheelOf(t, Dubbo{}).Slots())
	heartbeats := Dubbo{Tick: dubboHeartbeatTick, Slots: dubboHeartbeatSlots}
	require.Equal(t, sec, wheelOf(t, heartbeats).Tick())
	require.Equal(t, 128, wheelOf(t, heartbeats).Slots())
	require.Equal(t, 29*ms, fires(t, Dubbo{}, 0, 31*ms))
}

func TestNettyRoundsSlotsUpToAPowerOfTwo(t *testing.T) {
	eachNetty(t, func(t *testing.T, like func(Netty) preset) {
		for slots, want := range map[int]int{1: 1, 3: 4, 500: 512, 513: 1024} {
			require.Equal(t, want, wheelOf(t, like(Netty{Slots: slots})).Slots())
		}
		for _, slots := range []int{-1, 1<<30 + 1} {
			_, err := like(Netty{Slots: slots}).Start()
			require.ErrorIs(t, err, schedulers.ErrSlots)
		}
	})
}

func TestNettyRaisesAShortTick(t *testing.T) {
	var log journal
	eachNetty(t, func(t *testing.T, like func(Netty) preset) {
		log.text.Reset()
		open(t, like(Netty{Tick: ms, Logger: log.logger()}))
		require.Empty(t, log.String())
		l := open(t, like(Netty{Tick: 10 * time.Microsecond, Logger: log.logger()}))
		require.Contains(t, log.String(), "level=WARN")
		require.Contains(t, log.String(), "tick=10µs raised=1ms")
		at := l.instants()
		l.after(1, at.note)
		pass(sec)
		require.Equal(t, []time.Duration{ms}, at.all())
		require.EqualValues(t, 1000, l.Stats().Wakeups)

		_, err := like(Netty{Tick: -1}).Start()
		require.ErrorIs(t, err, schedulers.ErrTick)
	})
}

func TestNettyRefusesWhatOverflows(t *testing.T) {
	eachNetty(t, func(t *testing.T, like func(Netty) preset) {
		_, err := like(Netty{Tick: math.MaxInt64/512 + 1}).Start()
		require.ErrorIs(t, err, schedulers.ErrTick)
		open(t, like(Netty{Tick: math.MaxInt64 / 512}))
	})
}

func TestNettyTakesTheLongestDelay(t *testing.T) {
	eachNetty(t, func(t *testing.T, like func(Netty) preset) {
		l := open(t, like(Netty{}))
		time.Sleep(sec) // so that the deadline overflows
		l.after(math.MaxInt64, nothing)
		pass(time.Minute)
		require.Equal(t, 1, l.Len())
		unfired, err := l.Close(context.Background())
		require.NoError(t, err)
		require.Equal(t, math.MaxInt64-l.now(), unfired[0].Remaining)
	})
}

func TestNettyStartsWithTheFirstTimer(t *testing.T) {
	eachNetty(t, func(t *testing.T, like func(Netty) preset) {
		l := open(t, like(Netty{}))
		pass(time.Minute)
		require.Zero(t, l.Stats().Wakeups)
		l.after(time.Hour, nothing)
		pass(sec)
		require.EqualValues(t, 10, l.Stats().Wakeups)
	})
}

func TestNettyCountsTicksFromStart(t *testing.T) {
	eachNetty(t, func(t *testing.T, like func(Netty) preset) {
		l := open(t, like(Netty{}))
		at := l.instants()
		pass(30 * ms)
		l.after(110*ms, at.note) // in the original 200 ms after this, at 230 ms
		pass(sec)
		require.Equal(t, []time.Duration{200 * ms}, at.all())
	})
}

func TestNettyWakesEveryTick(t *testing.T) {
	eachNetty(t, func(t *testing.T, like func(Netty) preset) {
		l := open(t, like(Netty{}))
		l.after(time.Hour, nothing)
		pass(time.Minute)
		require.EqualValues(t, 600, l.Stats().Wakeups)
		l.after(ms, nothing)
		synctest.Wait()
		require.Zero(t, l.Stats().Kicks, "an early deadline does not wake it")
	})
}

func TestNettyFiresAtTheEndOfTheTick(t *testing.T) {
	eachNetty(t, func(t *testing.T, like func(Netty) preset) {
		l := open(t, like(Netty{}))
		l.after(time.Hour, nothing)
		for delay, want := range map[time.Duration]time.Duration{
			1: 100, 99: 100, 101: 200, 150: 200, 199: 200, 1001: 1100,
			100: 100, // 200 in the original
		} {
			at := l.instants()
			pass(100*ms - l.now()%(100*ms))
			began := l.now()
			l.after(delay*ms, at.note)
			pass(2 * sec)
			require.Equal(t, []time.Duration{began + want*ms}, at.all(), "%v", delay)
		}
	})
}

func TestNettyFiresNothingBetweenTicks(t *testing.T) {
	eachNetty(t, func(t *testing.T, like func(Netty) preset) {
		l := open(t, like(Netty{}))
		at := l.instants()
		l.after(time.Hour, nothing)
		pass(130 * ms)
		l.after(0, at.note)
		pass(sec)
		require.Equal(t, []time.Duration{200 * ms}, at.all())
	})
}

func TestNettyVisitsItsSlotIfOneIsDue(t *testing.T) {
	eachNetty(t, func(t *testing.T, like func(Netty) preset) {
		const n, round = 1000, 8 * 100 * ms
		l := begin(t, like(Netty{Slots: 8}))
		for range n {
			l.after(3*round+400*ms, nothing)
		}
		l.after(round+400*ms, nothing)
		pass(round)
		require.Zero(t, l.work().Visits)
		pass(round)
		require.EqualValues(t, 1, l.Stats().Fired)
		visits := l.work().Visits
		require.Greater(t, visits, uint64(n/10), "those in its list too")
		require.LessOrEqual(t, visits, uint64(n+1))
		pass(round)
		require.Equal(t, visits, l.work().Visits)
		pass(round)
		require.EqualValues(t, n+1, l.Stats().Fired)
	})
}

func TestNettyMoves100000ATick(t *testing.T) {
	in(t, func(t *testing.T) {
		l := open(t, Netty{})
		l.after(time.Hour, nothing)
		pass(150 * ms)
		for range 100_500 {
			l.after(0, nothing)
		}
		pass(50 * ms)
		require.EqualValues(t, 100_000, l.Stats().Fired)
		pass(100 * ms)
		require.EqualValues(t, 100_500, l.Stats().Fired)
	})
}

func TestNettyCountsTheCancelledAmongThose(t *testing.T) {
	in(t, func(t *testing.T) {
		l := open(t, Netty{})
		l.after(time.Hour, nothing)
		pass(150 * ms)
		for range nettyPerTick {
			require.True(t, l.after(0, nothing).Stop())
		}
		at := l.instants()
		l.after(0, at.note)
		pass(50 * ms)
		require.Empty(t, at.all(), "the tick had to pass the others")
		pass(100 * ms)
		require.Equal(t, []time.Duration{300 * ms}, at.all())
	})
}

func TestNettyCatchesUp(t *testing.T) {
	eachNetty(t, func(t *testing.T, like func(Netty) preset) {
		l := open(t, like(Netty{}))
		type run struct{ delay, at time.Duration }
		var runs []run
		l.after(100*ms, func() { time.Sleep(350 * ms) })
		for _, delay := range []time.Duration{600, 400, 300, 500, 200} {
			l.after(delay*ms, func() { runs = append(runs, run{delay, l.now() / ms}) })
		}
		pass(sec)
		require.Equal(t, []run{{200, 450}, {300, 450}, {400, 450}, {500, 500}, {600, 600}}, runs)
		require.EqualValues(t, 10-3, l.Stats().Wakeups)
	})
}

func TestNettyRefusesTooManyWithTheCount(t *testing.T) {
	each(t, []named{netty, dubbo}, func(t *testing.T, p preset) {
		l := open(t, p, driver.WithMaxPending(3))
		for range 3 {
			l.after(sec, nothing)
		}
		_, err := l.AfterFunc(sec, nothing)
		require.ErrorIs(t, err, driver.ErrMaxPending)
		require.ErrorContains(t, err, "3")
		pass(2 * sec)
		l.after(sec, nothing)
	})
}

func TestNettyDoesNotCountTheCancelled(t *testing.T) {
	each(t, []named{netty, dubbo}, func(t *testing.T, p preset) {
		l := open(t, p, driver.WithMaxPending(1))
		timer := l.after(time.Hour, nothing)
		pass(sec)
		require.True(t, timer.Stop())
		l.after(time.Hour, nothing)
	})
}

func TestNettyHandleTellsTheState(t *testing.T) {
	eachNetty(t, func(t *testing.T, like func(Netty) preset) {
		l := open(t, like(Netty{}))
		fires, stopped := l.after(sec, nothing), l.after(time.Hour, nothing)
		require.Equal(t, driver.IsPending, fires.State())
		pass(500 * ms)
		require.Equal(t, driver.IsPending, fires.State())
		require.True(t, stopped.Stop())
		require.Equal(t, driver.Cancelled, stopped.State())
		pass(sec)
		require.Equal(t, driver.Fired, fires.State())
		require.Equal(t, driver.Cancelled, stopped.State())
	})
}

func TestDubboPeriodicWorkDoesNotPileUp(t *testing.T) {
	in(t, func(t *testing.T) {
		l := open(t, Dubbo{Tick: dubboHeartbeatTick, Slots: dubboHeartbeatSlots})
		at := l.instants()
		_, err := l.Every(10*sec, func() {
			if at.note(); len(at.all()) == 2 {
				time.Sleep(time.Minute)
			}
		})
		require.NoError(t, err)
		pass(115 * sec)
		require.Equal(t, []time.Duration{10 * sec, 20 * sec, 90 * sec, 100 * sec, 110 * sec}, at.all())
	})
}

// The warning comes once in the life of a process, so it takes one of its own.
func TestMoreThan64DriversAreWarnedOfOnce(t *testing.T) {
	const variable = "CATALOG_TEST_OF_MANY_DRIVERS"
	if os.Getenv(variable) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1")
		cmd.Env = append(os.Environ(), variable+"=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	var log journal
	warnings := func() int { return strings.Count(log.String(), "level=WARN") }
	for i := range 100 {
		open(t, Netty{Logger: log.logger()})
		require.Equal(t, i >= 64, warnings() == 1, "%d", i+1)
	}
}

func TestDroppedDriverIsWarnedOf(t *testing.T) {
	var log journal
	_, err := Netty{Logger: log.logger()}.Start()
	require.NoError(t, err)
	for deadline := time.Now().Add(5 * time.Second); log.String() == ""; time.Sleep(time.Millisecond) {
		require.False(t, time.Now().After(deadline))
		runtime.GC()
	}
	require.Contains(t, log.String(), "level=WARN")
}
