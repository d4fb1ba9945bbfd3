package experiments

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/heapsched"
	"schedbench/internal/must"
	"schedbench/live"
	"schedbench/schedulers"
)

func TestFloodTellsHowLateTheNextTimerIs(t *testing.T) {
	c := sound("a")
	stopped := 0
	c.Start = func(_ harness.Geometry, opts ...driver.Option) (*driver.Driver, error) {
		return driver.Start(&faulty[driver.Task]{
			Scheduler: heapsched.New[driver.Task](),
			cancel: func(s schedulers.Scheduler[driver.Task], id schedulers.ID) bool {
				stopped++
				return s.Cancel(id)
			},
		}, append(opts, driver.WithAtOnce())...)
	}
	synctest.Test(t, func(t *testing.T) {
		p := tiny(c)
		p.Flood = 300
		series := must.Get(runOnly(t, p, rundata.Flood, rundata.OpPair))(t)
		require.Equal(t, []string{"a"}, firstTime(series))
		require.Equal(t, []float64{0, 0}, series[0].Values[rundata.LateAfter], "nothing takes time here")
		require.Equal(t, 300*2*2, stopped, "in each turn of both")
	})
}

func TestFloodIsForThoseThatStop(t *testing.T) {
	c := harness.Contestant{Name: "own", AddOnly: true, Open: func(harness.Geometry) (live.Timers, error) { return ownTimers{true}, nil }}
	p := tiny(c)
	p.Flood = 10
	series := must.Get(runOnly(t, p, rundata.Flood, rundata.OpPair))(t)
	require.Empty(t, series)

	distant, _, _ := distant(fakeProcess{late: 7 * time.Millisecond})
	p.Contestants = []harness.Contestant{distant}
	series = must.Get(runOnly(t, p, rundata.Flood, rundata.OpPair))(t)
	require.Equal(t, float64(7*time.Millisecond), series[0].Values[rundata.LateAfter][0])

	p.Contestants = []harness.Contestant{brokenTimers(stoppedButDenied)}
	_, err := runOnly(t, p, rundata.Flood, rundata.OpPair)
	require.ErrorContains(t, err, "wrong answer")
}
