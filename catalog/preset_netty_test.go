package catalog

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/schedulers"
)

// eachNetty runs a test for the presets that are Netty's wheel, with its tick, in virtual time.
func eachNetty(t *testing.T, test func(t *testing.T, like System)) {
	t.Helper()
	for _, like := range []System{netty, dubbo, businessWheel} {
		like.Config.Tick = NettyTick
		t.Run(like.Name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { test(t, like) }) })
	}
}

func tick(s System, tick time.Duration) System { return with(s, func(c *Config) { c.Tick = tick }) }
func slots(s System, slots int) System         { return with(s, func(c *Config) { c.Slots = slots }) }

func TestNettyRaisesAShortTick(t *testing.T) {
	log := logged(t)
	eachNetty(t, func(t *testing.T, like System) {
		log.Reset()
		open(t, tick(like, ms))
		require.Empty(t, log.String())
		l := open(t, tick(like, 10*time.Microsecond))
		require.Contains(t, log.String(), "level=WARN")
		require.Contains(t, log.String(), "tick=10µs raised=1ms")
		at := l.instants()
		l.after(1, at.note)
		pass(sec)
		require.Equal(t, []time.Duration{ms}, at.all())
		require.EqualValues(t, 1000, l.Stats().Wakeups)

		_, err := tick(like, -1).Start()
		require.ErrorIs(t, err, schedulers.ErrTick)
	})
}

func TestNettyCountsTicksFromStart(t *testing.T) {
	eachNetty(t, func(t *testing.T, like System) {
		l := open(t, like)
		at := l.instants()
		pass(30 * ms)
		l.after(110*ms, at.note) // in the original 200 ms after this, at 230 ms
		l.after(0, at.note)
		pass(sec)
		require.Equal(t, []time.Duration{100 * ms, 200 * ms}, at.all())
	})
}

func TestNettyFiresAtTheEndOfTheTick(t *testing.T) {
	eachNetty(t, func(t *testing.T, like System) {
		l := open(t, like)
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

// Those that are cancelled meanwhile count as well.
func TestNettyMoves100000ATick(t *testing.T) {
	for _, cancelled := range []bool{false, true} {
		opened(t, netty, func(t *testing.T, l *bench) {
			l.after(time.Hour, nothing)
			pass(150 * ms)
			for range nettyPerTick {
				timer := l.after(0, nothing)
				require.True(t, !cancelled || timer.Stop())
			}
			at := l.instants()
			l.after(0, at.note)
			pass(50 * ms)
			require.Empty(t, at.all(), "the tick had to pass the others")
			require.EqualValues(t, map[bool]int{false: 100_000}[cancelled], l.Stats().Fired)
			pass(100 * ms)
			require.Equal(t, []time.Duration{300 * ms}, at.all())
		})
	}
}

func TestBusinessWheelRefusesBeyondItsBound(t *testing.T) {
	require.Equal(t, 1<<22, businessWheel.Config.MaxPending)
	opened(t, with(businessWheel, func(c *Config) { c.MaxPending = 2 }), func(t *testing.T, l *bench) {
		l.after(sec, nothing)
		l.after(sec, nothing)
		_, err := l.AfterFunc(sec, nothing)
		require.ErrorIs(t, err, driver.ErrMaxPending)
	})
}
