package catalog_test

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/internal/lists"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

var geometry = harness.Geometry{Tick: time.Millisecond, Horizon: time.Minute}

func find(t *testing.T, name string) harness.Contestant {
	t.Helper()
	return must.Get(catalog.Find([]string{name}))(t)[0]
}

func TestNamesFitABenchmarksName(t *testing.T) {
	all := append(catalog.All(), catalog.Presets()...)
	require.NoError(t, harness.CheckContestants(all))
	for _, c := range all {
		require.False(t, strings.ContainsAny(c.Name, "=:,"), c.Name)
		require.NotEmpty(t, c.Family, c.Name)
		require.NotEmpty(t, c.About, c.Name)
	}
}

// Those that are said to have a tick, and they alone, round to it.
func TestTheMarksAreTrue(t *testing.T) {
	baselines := []string{"time.AfterFunc", "container-heap"}
	for _, c := range catalog.All() {
		require.Equal(t, slices.Contains(baselines, c.Name), c.Baseline, c.Name)
		require.Equal(t, c.Name == "time.AfterFunc", c.Runtime, c.Name)
		require.Equal(t, c.Name != "container-heap", c.Live(), c.Name)
		require.NotEqual(t, c.Runtime, c.New != nil, "%s is either", c.Name)
		if c.New != nil {
			r, rounds := must.Get(c.New(geometry))(t).(schedulers.Resolution)
			require.Equal(t, c.HasTick, rounds && r.Tick() == geometry.Tick, c.Name)
			require.Equal(t, c.Name == "listsched", c.LinearInsert, c.Name)
		}
	}
}

func TestEveryContestantReachesTheHorizon(t *testing.T) {
	for _, g := range []harness.Geometry{
		geometry,
		{Tick: time.Millisecond, Horizon: 2*time.Hour + time.Minute},
		{Tick: 10 * time.Second, Horizon: time.Second},
		{Tick: 20 * time.Microsecond, Horizon: 140 * time.Millisecond},
		{Tick: 3 * time.Millisecond, Horizon: 24 * time.Hour},
	} {
		for _, c := range catalog.All() {
			if c.New == nil {
				continue
			}
			s, err := c.New(g)
			require.NoError(t, err, c.Name)
			id, err := s.Schedule(g.Horizon, 1)
			require.NoError(t, err, "%s: %+v", c.Name, g)
			require.True(t, s.Cancel(id), c.Name)
		}
	}
}

func TestASingleWheelHasASlotForEachTick(t *testing.T) {
	slots := must.Get(find(t, "singlewheel").New(geometry))(t).(interface{ Slots() int }).Slots()
	require.Equal(t, 1<<bits.Len(uint(geometry.Horizon/geometry.Tick)), slots)
}

func TestABadGeometryIsAnErrorOfWhatHasATick(t *testing.T) {
	for _, g := range []harness.Geometry{
		{Tick: 0, Horizon: time.Minute},
		{Tick: -time.Second, Horizon: time.Minute},
		{Tick: math.MinInt64, Horizon: math.MaxInt64},
	} {
		for _, c := range catalog.Contestants() {
			_, err := c.New(g)
			require.Equal(t, c.HasTick, err != nil, "%s: %+v: %v", c.Name, g, err)
		}
	}
	for _, horizon := range []time.Duration{-time.Minute, math.MaxInt64} {
		_, err := find(t, "singlewheel").New(harness.Geometry{Tick: 1, Horizon: horizon})
		require.Error(t, err, "a horizon of %d", horizon)
	}
}

func TestFindKeepsTheOrderOfAll(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{nil, nil},
		{[]string{"hierwheel"}, []string{"hierwheel"}},
		{[]string{"time.AfterFunc", "heapsched"}, []string{"heapsched", "time.AfterFunc"}},
		{[]string{"hierwheel", "hierwheel"}, []string{"hierwheel"}},
		{[]string{"kafka", "netty", "listsched"}, []string{"listsched", "netty", "kafka"}},
	} {
		require.Equal(t, c.want, lists.Each(must.Get(catalog.Find(c.names))(t), func(f harness.Contestant) string { return f.Name }))
	}
}

func TestAnUnknownNameIsAnError(t *testing.T) {
	_, err := catalog.Find([]string{"heapsched", "HEAPSHED"})
	require.EqualError(t, err, `unknown contestant "HEAPSHED", did you mean heapsched?`)
	_, err = catalog.Find([]string{"heapsched", ""})
	for _, c := range append(catalog.All(), catalog.Presets()...) {
		require.ErrorContains(t, err, c.Name)
	}
}
