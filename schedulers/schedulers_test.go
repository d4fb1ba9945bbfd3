package schedulers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
	"schedbench/schedulers"
)

// TestFirstIDIsNotZero holds because generations in use are odd.
func TestFirstIDIsNotZero(t *testing.T) {
	for _, s := range structures() {
		require.NotZero(t, must.Get(s.make(t).Schedule(0, 0))(t), s.name)
	}
}

func TestWorkSinceIsTheDifferenceButForWhatIsHeld(t *testing.T) {
	earlier := schedulers.Work{Visits: 1, Moves: 2, Levels: 3, Slots: 4, Cascades: 5, Swept: 6, Upkeep: 7, Held: 80}
	later := schedulers.Work{Visits: 11, Moves: 22, Levels: 33, Slots: 44, Cascades: 55, Swept: 66, Upkeep: 77, Held: 8}
	require.Equal(t,
		schedulers.Work{Visits: 10, Moves: 20, Levels: 30, Slots: 40, Cascades: 50, Swept: 60, Upkeep: 70, Held: 8},
		later.Sub(earlier))
}
