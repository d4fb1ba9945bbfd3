package singlewheel

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/internal/must"
	"schedbench/internal/store"
	"schedbench/internal/ticks"
)

// testSlots returns slots of one nanosecond each.
func testSlots(t require.TestingT, size int) slots { return newSlots(must.Get(ticks.New(1))(t), size) }

// put makes i the first value of a slot other than 0.
func put(s *slots, slot, i uint32) (after uint32) {
	_, after = s.push(time.Duration(slot), i)
	return after
}

// requireSlots demands that exactly the slots of want are occupied, each with
// its value, and that all heads are in use or free.
func requireSlots(t require.TestingT, want map[uint32]uint32, s *slots) {
	groups, found := make(map[uint32]bool), 0
	for slot := s.from(0); slot >= 0; slot = s.from(slot + 1) {
		i, ok := want[uint32(slot)]
		require.True(t, ok && s.has(uint32(slot)), "slot %d", slot)
		require.Equal(t, i, *s.head(uint32(slot)), "slot %d", slot)
		groups[uint32(slot)>>groupBits] = true
		found++
	}
	require.Equal(t, len(want), found)
	if s.flat != nil {
		require.Zero(t, len(s.pages.Now))
		return
	}
	require.Equal(t, len(groups), s.used)
	free := 0
	for at := s.free; at != store.None; at = s.at(at)[freeNext] {
		require.EqualValues(t, store.None, *s.owner(at))
		free++
	}
	require.EqualValues(t, s.fresh, s.used+free)
	require.LessOrEqual(t, int(s.fresh), len(s.pages.Now)<<pageBits)
}

func TestSlotsKeepTheirFirstValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{1, 2, 64, 128, 1 << 12, MostFlat, 2 * MostFlat}).Draw(t, "size")
		s, want := testSlots(t, size), make(map[uint32]uint32)
		slot := rapid.Custom(func(t *rapid.T) uint32 { return uint32(rapid.IntRange(1, size).Draw(t, "deadline") & (size - 1)) })
		for i := range rapid.IntRange(0, 200).Draw(t, "steps") {
			at := slot.Draw(t, "slot")
			i, before := uint32(i), uint32(store.None)
			old, ok := want[at]
			if ok && rapid.Bool().Draw(t, "clear") {
				s.clear(at)
				delete(want, at)
				continue
			}
			if ok {
				before = old
			}
			deadline := time.Duration(at)
			if at == 0 {
				deadline = time.Duration(size)
			}
			got, after := s.push(deadline, i)
			require.Equal(t, at, got)
			require.Equal(t, before, after)
			want[at] = i
		}
		requireSlots(t, want, &s)
	})
}

// TestSparseSlotsAreMovedTogether fills many groups and leaves few of them, of each page one.
func TestSparseSlotsAreMovedTogether(t *testing.T) {
	const groups, stride = 1 << 12, pageLen
	s, want := testSlots(t, groups*groupLen), make(map[uint32]uint32)
	for g := range uint32(groups) {
		for _, slot := range []uint32{g*groupLen + 1, g*groupLen + 63} {
			require.EqualValues(t, store.None, put(&s, slot, slot+7))
			want[slot] = slot + 7
		}
	}
	requireSlots(t, want, &s)
	require.Len(t, s.pages.Now, groups/pageLen)
	for g := range uint32(groups) {
		if g%stride == 0 {
			continue
		}
		for _, slot := range []uint32{g*groupLen + 1, g*groupLen + 63} {
			before := s.upkeep
			s.clear(slot)
			require.LessOrEqual(t, s.upkeep-before, uint64(MaxUpkeep))
			delete(want, slot)
		}
		if g%61 == 0 {
			requireSlots(t, want, &s)
		}
	}
	requireSlots(t, want, &s)
	require.LessOrEqual(t, len(s.pages.Now), slackPages+2)
}

// TestSteadySlotsKeepTheirPages: room comes and goes only with large changes.
func TestSteadySlotsKeepTheirPages(t *testing.T) {
	const groups = 1 << 12
	s := testSlots(t, 2*groups*groupLen)
	for g := range uint32(groups) {
		put(&s, g*groupLen+1, g)
	}
	require.Zero(t, testing.AllocsPerRun(5, func() {
		for g := range uint32(groups / 8) {
			s.clear(g*groupLen + 1)
		}
		for g := range uint32(groups / 8) {
			put(&s, g*groupLen+1, g)
		}
	}))
}

// TestEmptySlotTakesLessThanTwoBits counts what there is without heads.
func TestEmptySlotTakesLessThanTwoBits(t *testing.T) {
	const size = 1 << 22
	s := testSlots(t, size)
	filled := 0
	for _, level := range reflect.ValueOf(s.filled).Field(0).Seq2() {
		filled += 8 * level.Cap()
	}
	require.LessOrEqual(t, len(s.groups)*12+filled, size*8/5/8)
	require.Empty(t, s.pages.Now)
}
