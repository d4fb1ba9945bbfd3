package blocks

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/harness/rundata"
)

func drawnCell(t *rapid.T) Learned {
	return Learned{
		Blocks:  rapid.IntRange(0, 12).Draw(t, "blocks"),
		Most:    rapid.SampledFrom([]int{0, 0, 1, 6, 30}).Draw(t, "most"),
		Cost:    rapid.SampledFrom([]float64{0.1, 0.5, 1, 7}).Draw(t, "cost"),
		Scatter: rapid.SampledFrom([]float64{0, 0.01, 0.1, 0.5, 2, math.NaN(), math.Inf(1)}).Draw(t, "scatter"),
		Weight:  rapid.SampledFrom([]float64{0.1, 0.5, 1}).Draw(t, "weight"),
		Large:   rapid.Bool().Draw(t, "large"),
	}
}

// spentOn returns what further blocks cost, and what of that large populations do.
func spentOn(cells []Learned, more []int) (all, large float64) {
	for i, c := range cells {
		all += float64(more[i]) * c.Cost
		if c.Large {
			large += float64(more[i]) * c.Cost
		}
	}
	return all, large
}

const rounding = 1e-9

func TestABudgetIsKeptAndUsed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SliceOfN(rapid.Custom(drawnCell), 0, 8).Draw(t, "cells")
		budget := rapid.Float64Range(-1, 60).Draw(t, "budget")
		large := rapid.Float64Range(-1, 30).Draw(t, "of large populations")
		more := Allocate(cells, budget, large)
		require.Len(t, more, len(cells))
		all, ofLarge := spentOn(cells, more)
		require.LessOrEqual(t, all, max(budget, 0)+rounding)
		require.LessOrEqual(t, ofLarge, max(large, 0)+rounding)
		for i, c := range cells {
			n := c.Blocks + more[i]
			require.True(t, more[i] == 0 || c.Most == 0 || n <= c.Most, "%v has %d more", c, more[i])
			if !(c.Scatter > 0) {
				require.Zero(t, more[i], "%v scatters not", c)
			}
			narrower := n >= 2 && c.Width(n) > c.Width(n+1)+rounding && (c.Most == 0 || n < c.Most)
			fits := c.Cost < budget-all-rounding && (!c.Large || c.Cost < large-ofLarge-rounding)
			require.False(t, narrower && fits, "one more of %v would fit, beside %v of %v", c, more, cells)
		}
	})
}

func TestNothingIsDividedByNothing(t *testing.T) {
	cells := []Learned{{Scatter: 0.1, Cost: 1, Weight: 1}, {Blocks: 4, Scatter: 0.1, Weight: 1}, {Blocks: 4, Scatter: 0.1, Cost: 1, Weight: 1}}
	more := Allocate(cells, 10, 0)
	require.Zero(t, more[0])
	require.Less(t, cells[1].Width(cells[1].Blocks+more[1]), narrow+rounding)
	require.Equal(t, 10, more[2])
	require.Empty(t, Allocate(nil, 10, 0))
}

// Where a block of any costs the same, more time takes no block from any.
func TestALargerBudgetHasNoCellLoseABlock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SliceOfN(rapid.Custom(drawnCell), 1, 8).Draw(t, "cells")
		for i := range cells {
			cells[i].Cost = 1
		}
		budget, large := rapid.Float64Range(0, 60).Draw(t, "budget"), rapid.Float64Range(0, 60).Draw(t, "of large populations")
		less := Allocate(cells, budget, large)
		greater := Allocate(cells, budget+rapid.Float64Range(0, 60).Draw(t, "more"), large)
		for i := range cells {
			require.GreaterOrEqual(t, greater[i], less[i], "%v", cells[i])
		}
	})
}

// sumOfUnclear returns how unclear cells with further blocks are together, by their weights.
func sumOfUnclear(cells []Learned, more []int) (sum float64) {
	for i, c := range cells {
		sum += c.Weight * c.unclear(c.Blocks+more[i])
	}
	return sum
}

// Whatever an even division does, Allocate does as well with the time of one block more.
func TestNoEvenDivisionIsClearer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SliceOfN(rapid.Custom(drawnCell), 1, 8).Draw(t, "cells")
		dearest, each := 0.0, 0.0
		for i := range cells {
			c := &cells[i]
			c.Blocks, c.Most, c.Large = max(c.Blocks, 2), 0, false
			c.Scatter = rapid.Float64Range(0.001, 2).Draw(t, "scatter")
			dearest, each = max(dearest, c.Cost), each+c.Cost
		}
		n := rapid.IntRange(0, 9).Draw(t, "blocks of each")
		even := slices.Repeat([]int{n}, len(cells))
		more := Allocate(cells, float64(n)*each+dearest+rounding, 0)
		require.LessOrEqual(t, sumOfUnclear(cells, more), sumOfUnclear(cells, even)+rounding, "%v", more)
	})
}

// figuresOf returns figures of so many contestants in so many blocks: what they have in common in a block, and
// what each has of its own.
func figuresOf(common []float64, own ...[]float64) (figures [][]float64) {
	for _, of := range own {
		var f []float64
		for b, c := range common {
			f = append(f, 100*math.Exp(c+of[b]))
		}
		figures = append(figures, f)
	}
	return figures
}

func TestScatterIsWhatABlockHasNotInCommon(t *testing.T) {
	still, moves := []float64{0, 0, 0, 0}, []float64{0.1, -0.1, 0.1, -0.1}
	opposite := []float64{-0.1, 0.1, -0.1, 0.1}
	deviation := math.Sqrt(4 * 0.1 * 0.1 / 3)
	for name, c := range map[string]struct {
		figures [][]float64
		want    float64
	}{
		"nothing":                         {nil, 0},
		"one block":                       {figuresOf([]float64{0}, []float64{1}, []float64{2}), 0},
		"one contestant":                  {figuresOf(moves, still), 0},
		"all move together":               {figuresOf(moves, still, still, still), 0},
		"two move against each other":     {figuresOf(still, moves, opposite), deviation},
		"and together besides":            {figuresOf([]float64{3, 1, 4, 1}, moves, opposite), deviation},
		"one of many that scatters":       {figuresOf(still, []float64{5, -5, 5, -5}, still, still, still, still), 1.1547},
		"a figure that is not positive":   {append(figuresOf(still, moves, opposite), []float64{0, -1, math.NaN(), 0}), deviation},
		"a contestant that lacks a block": {[][]float64{{100, 100, 100}, {100, math.NaN(), 100}, {100, 100}}, 0},
	} {
		require.InDelta(t, c.want, Scatter(c.figures), 1e-4, name)
	}
}

// Scatter is a ratio: ten times slower ones scatter as much.
func TestScatterDoesNotDependOnWhoIsAhead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 10).Draw(t, "blocks")
		figures := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(1, 100), n, n), 2, 5).Draw(t, "figures")
		want := Scatter(figures)
		at, slower := rapid.IntRange(0, len(figures)-1).Draw(t, "who"), rapid.Float64Range(0.01, 100).Draw(t, "slower")
		for b := range figures[at] {
			figures[at][b] *= slower
		}
		require.InDelta(t, want, Scatter(figures), 1e-9)
	})
}

func TestAProcessGetsItsOrder(t *testing.T) {
	_, ok := Ordered()
	require.False(t, ok)
	want := Order{Plan: "1", Cells: []string{"a", "b"}, Block: 3, Dir: "/tmp", Name: "block-03", Participant: 2,
		Steady: map[string]time.Duration{"w": 1}, Env: []rundata.Param{{Key: "cpu", Value: "A \"CPU\""}}}
	cmd := Command(t.Context(), want, "an", "argument")
	require.Equal(t, []string{"an", "argument"}, cmd.Args[1:])
	for _, v := range cmd.Env {
		if key, value, _ := strings.Cut(v, "="); key == orderEnv {
			t.Setenv(key, value)
		}
	}
	got, ok := Ordered()
	require.True(t, ok)
	require.Equal(t, want, got)
	t.Setenv(orderEnv, "{")
	_, ok = Ordered()
	require.False(t, ok)
}

func TestOnlyWholePagesAreTouched(t *testing.T) {
	require.Zero(t, FaultIn(0))
	require.Zero(t, FaultIn(pageSize-1))
	require.Positive(t, FaultIn(64*pageSize))
}
