package tune

import (
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"schedbench/internal/judge"
)

// played returns a candidate whose timers were so many milliseconds late, block by block. Candidates that are made alike
// played beside each other.
func played(late ...int) *Candidate {
	c := &Candidate{Config: heap}
	for i, l := range late {
		h := hdrhistogram.New(1, int64(time.Minute), 3)
		for range 200 {
			_ = h.RecordValue(int64(l) * int64(ms))
		}
		c.blocks = append(c.blocks, Sample{CPU: 0.01, Late: h, Took: 1, match: i + 1})
	}
	return c
}

func TestABlockInWhichAllOthersAreLateDoesNotCount(t *testing.T) {
	r := Requirements{Lateness: 2 * ms}
	for name, c := range map[string]struct {
		c       *Candidate
		others  []*Candidate
		stalled int
		kept    judge.Finding
	}{
		"the machine stalls in most blocks": {
			played(1, 90, 80, 1, 70, 60, 1, 1), []*Candidate{played(1, 50, 60, 1, 70, 80, 1, 1), played(1, 90, 90, 1, 90, 90, 1, 1)}, 4, judge.Holds,
		},
		"too few blocks are left": {
			played(1, 90, 80, 1, 70), []*Candidate{played(1, 50, 60, 1, 70), played(1, 90, 90, 1, 90)}, 3, judge.Undecided,
		},
		"it alone is late":           {played(1, 90, 80, 70), []*Candidate{played(1, 1, 1, 1), played(1, 1, 1, 1)}, 0, judge.Fails},
		"it and one other are late":  {played(90, 90, 80, 70), []*Candidate{played(90, 90, 90, 90), played(1, 1, 1, 1)}, 0, judge.Fails},
		"late, and not by the stall": {played(90, 5, 5, 5, 5, 5), []*Candidate{played(90, 1, 1, 1, 1, 1), played(90, 1, 1, 1, 1, 1)}, 1, judge.Fails},
		"by luck alone in time, once": {
			played(1, 9, 9, 9), []*Candidate{played(9, 9, 9, 9), played(9, 9, 9, 9)}, 0, judge.Fails,
		},
		"always alone in time": {played(1, 1, 1, 1), []*Candidate{played(9, 9, 9, 9), played(9, 9, 9, 9)}, 0, judge.Holds},
		"all are always late":  {played(9, 9, 9, 9), []*Candidate{played(9, 9, 9, 9), played(9, 9, 9, 9)}, 0, judge.Fails},
		"one other is too few": {played(1, 1, 1, 1), []*Candidate{played(1, 9, 9, 1)}, 0, judge.Holds},
	} {
		t.Run(name, func(t *testing.T) {
			f := (&Choice{Requirements: r}).figures(c.c, stalls(c.c, append(c.others, c.c), r))
			require.Equal(t, c.stalled, f.Stalled)
			require.Len(t, f.Lateness.Blocks, len(c.c.blocks)-c.stalled)
			require.Len(t, f.CPU.Blocks, len(c.c.blocks), "CPU counts in all blocks")
			if c.kept == judge.Fails {
				require.Greater(t, f.Lateness.Value, r.Lateness.Seconds())
			} else {
				require.Equal(t, c.kept, r.InTime(f.Lateness.Estimate))
			}
		})
	}
}

func TestOnlyThoseThatPlayTogetherShareAStall(t *testing.T) {
	one, apart, other := played(9, 1), played(9, 9), played(9, 9)
	for _, c := range []*Candidate{apart, other} {
		for i := range c.blocks {
			c.blocks[i].match += 10
		}
	}
	require.Empty(t, stalls(one, []*Candidate{one, apart, other}, Requirements{Lateness: 2 * ms}))
}

func TestAllLateIsInAllBlocks(t *testing.T) {
	for want, all := range map[int][]*Candidate{2: {played(9, 9), played(8, 8)}, 0: {played(9, 9), played(8, 1)}} {
		for _, c := range all {
			c.Final = new(Choice).figures(c, nil)
		}
		ch := &Choice{Requirements: Requirements{Lateness: 2 * ms}, Candidates: all}
		require.Equal(t, want, ch.allLate())
	}
}
