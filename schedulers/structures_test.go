package schedulers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

// smallHorizon makes the single wheel one of 1<<18 slots.
const smallHorizon = (1<<18 - 1) * time.Millisecond

// structure is one of the five.
type structure struct {
	name   string
	linear bool // insertion is O(n)
	new    func(harness.Geometry) (schedulers.Scheduler[uint64], error)
}

// structures returns the five in the geometries in which they are measured,
// with a tick of 1 ms and a single wheel that reaches smallHorizon.
func structures() []structure {
	var all []structure
	for _, c := range catalog.Contestants() {
		all = append(all, structure{c.Name, c.LinearInsert, c.New})
	}
	return all
}

func (s structure) make(t *testing.T) schedulers.Scheduler[uint64] {
	return must.Get(s.new(harness.Geometry{Tick: time.Millisecond, Horizon: smallHorizon}))(t)
}

// All but the wheel with rounds, whose slots have values of several rounds, show what comes next. A driver counts on it.
func TestStructuresShowWhatComesNext(t *testing.T) {
	for _, s := range structures() {
		_, ok := s.make(t).(schedulers.Peeker[uint64])
		require.Equal(t, s.name != catalog.Rounds, ok, s.name)
	}
}
