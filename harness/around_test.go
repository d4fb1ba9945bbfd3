package harness

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhatTheMachineDidAroundACell(t *testing.T) {
	for name, c := range map[string]struct {
		said []Param
		want Around
	}{
		"all of it": {
			[]Param{{"date", "2026-01-02"}, {"load-before", "1.25 2 3"}, {"load-after", "4 5 6"}, {"steal-ticks-before", "100"}, {"steal-ticks-after", "130"}, {"took", "12.5s"}},
			Around{Cell: "a", Date: "2026-01-02", Took: 12500 * time.Millisecond, Load: 1.25, Stolen: 300 * time.Millisecond},
		},
		"nothing": {nil, Around{Cell: "a", Load: -1, Stolen: -1}},
		"older data": {
			[]Param{{"load-before", "0.00 0 0"}, {"steal-ticks-before", "7"}, {"steal-ticks-after", "7"}},
			Around{Cell: "a", Load: 0, Stolen: 0},
		},
		"of two runs": {
			[]Param{{"date", "2026-01-02 | 2026-01-03"}, {"load-before", "| 1"}, {"steal-ticks-before", "7 | 9"}, {"steal-ticks-after", "8 | 9"}, {"took", "1s | 2s"}},
			Around{Cell: "a", Date: "2026-01-02 | 2026-01-03", Load: -1, Stolen: -1},
		},
		"a counter that began anew": {
			[]Param{{"steal-ticks-before", "7"}, {"steal-ticks-after", "6"}}, Around{Cell: "a", Load: -1, Stolen: -1},
		},
	} {
		require.Equal(t, c.want, aroundOf("a", c.said), name)
	}
}

func TestEveryCellSaysHowLongItTook(t *testing.T) {
	p := tiny(sound("a"), sound("b"))
	p.Experiments, p.Ops = []string{Cost}, []string{OpInsert, OpTick}
	dir := t.TempDir()
	_, err := Run(t.Context(), p, dir, nil, func(int, int, Cell, bool) {})
	require.NoError(t, err)
	around, err := LoadAround(dir)
	require.NoError(t, err)
	require.Len(t, around, len(p.Cells()))
	for i, a := range around {
		require.Equal(t, p.Cells()[i].Name, a.Cell)
		require.Positive(t, a.Took, a.Cell)
		require.NotEmpty(t, a.Date, a.Cell)
	}

	gone := filepath.Join(dir, around[0].Cell+benchExt)
	text, err := os.ReadFile(gone)
	require.NoError(t, err)
	require.NoError(t, os.Remove(gone))
	left, err := LoadAround(dir)
	require.NoError(t, err)
	require.Equal(t, around[1:], left, "a cell that is not there is left out")
	require.NoError(t, os.WriteFile(gone, []byte(strings.TrimSuffix(string(text), "\n")), 0o644))
	_, err = LoadAround(dir)
	require.ErrorContains(t, err, around[0].Cell)
	_, err = LoadAround(t.TempDir())
	require.ErrorIs(t, err, ErrNoData)
}

// A plan of everything has time for as many blocks of many timers as of few.
func TestEverythingHasAllItsBlocks(t *testing.T) {
	p := tiny(sound("a"))
	p.Blocks, p.Pending = 12, []int{1_000_000}
	require.Equal(t, fewestBlocks, p.blocks(p.Pending[0]))
	require.Equal(t, fewestBlocks, p.fewBlocks())
	p.Every = true
	require.Equal(t, 12, p.blocks(p.Pending[0]))
	require.Equal(t, 12, p.fewBlocks())
}
