package harness

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/heapsched"
	"schedbench/live"
	"schedbench/schedulers"
)

func TestFloodTellsHowLateTheNextTimerIs(t *testing.T) {
	c := sound("a")
	stopped := 0
	c.Start = func(_ Geometry, opts ...driver.Option) (*driver.Driver, error) {
		return driver.Start(&faulty[driver.Task]{
			Scheduler: heapsched.New[driver.Task](),
			cancel: func(s schedulers.Scheduler[driver.Task], id schedulers.ID) bool {
				stopped++
				return s.Cancel(id)
			},
		}, opts...)
	}
	synctest.Test(t, func(t *testing.T) {
		p := tiny(c)
		p.Flood = 300
		series, err := runOnly(t, p, Flood, OpPair)
		require.NoError(t, err)
		require.Equal(t, []string{"a"}, firstTime(series))
		require.Equal(t, []float64{0, 0}, series[0].Values[LateAfter], "nothing takes time here")
		require.Equal(t, 300*2*2, stopped, "in each turn of both")
	})
}

func TestFloodIsForThoseThatStop(t *testing.T) {
	c := Contestant{Name: "own", AddOnly: true, Open: func(Geometry) (live.Timers, error) { return ownTimers{true}, nil }}
	p := tiny(c)
	p.Flood = 10
	series, err := runOnly(t, p, Flood, OpPair)
	require.NoError(t, err)
	require.Empty(t, series)

	distant, _, _ := distant(fakeProcess{late: 7 * time.Millisecond})
	p.Contestants = []Contestant{distant}
	series, err = runOnly(t, p, Flood, OpPair)
	require.NoError(t, err)
	require.Equal(t, float64(7*time.Millisecond), series[0].Values[LateAfter][0])

	p.Contestants = []Contestant{brokenLive(faulty[driver.Task]{cancel: func(schedulers.Scheduler[driver.Task], schedulers.ID) bool { return false }})}
	_, err = runOnly(t, p, Flood, OpPair)
	require.ErrorContains(t, err, "wrong answer")
}
