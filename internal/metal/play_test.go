package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/internal/must"
)

var operations = []string{opPair, opReset, opRunOut, opMixed}

// exerciseOf is a small one.
func exerciseOf(op string, seed uint64) exercise {
	x := exercise{op: op, pending: 300, count: 2000, laps: 2, seed: seed}
	if op == opRunOut {
		x.count = 2
	}
	return x
}

// TestBothSidesFireTheSame holds the wheels in C to the schedulers in Go, which their own
// tests hold to the contract.
func TestBothSidesFireTheSame(t *testing.T) {
	dir := compiled(t)
	for _, op := range operations {
		for seed := range uint64(3) {
			x := exerciseOf(op, seed)
			require.NoError(t, agree(t.Context(), []player{inGo(named(t, catalog.ContainerHeap)[0]), inC(catalog.Hier, dir), inC(catalog.Rounds, dir)}, x))
		}
	}
}

// TestAllSchedulersFireTheSame is what ratios of several of them rest on.
func TestAllSchedulersFireTheSame(t *testing.T) {
	for _, op := range operations {
		var players []player
		for _, c := range named(t, catalog.Hier, catalog.Rounds, catalog.Single, catalog.Heap, catalog.ContainerHeap) {
			players = append(players, inGo(c))
		}
		require.NoError(t, agree(t.Context(), players, exerciseOf(op, 7)))
	}
}

// A different seed is a different exercise, or a sum that agrees would mean nothing.
func TestSumsTellExercisesApart(t *testing.T) {
	sums := map[uint64]bool{}
	for _, op := range operations {
		for seed := range uint64(5) {
			sums[played(t, inGo(named(t, catalog.Heap)[0]), exerciseOf(op, seed)).sum] = true
		}
	}
	require.Len(t, sums, 5*len(operations))
}

// The loop alone leaves no trace: what is done next is what would have been done.
func TestTheLoopAloneChangesNothing(t *testing.T) {
	for _, op := range []string{opPair, opReset, opRunOut} {
		s := must.Get(named(t, catalog.Hier)[0].New(geometry))(t)
		g := newGoSide(exerciseOf(op, 1), s)
		require.NoError(t, g.warmUp())
		ids, now, fired := slices.Clone(g.ids), g.now, g.fired
		must.Get(g.alone())(t)
		require.Equal(t, fmt.Sprint(ids, now, fired), fmt.Sprint(g.ids, g.now, g.fired), op)
		require.Same(t, s, g.s)
	}
}

func TestDelaysAreFromASecondToAnHour(t *testing.T) {
	const n = 1000
	picked := map[uint32]bool{}
	least, most := horizon, uint64(0)
	for _, d := range drawAll(n, 1) {
		least, most = min(least, uint64(d.ticks)), max(most, uint64(d.ticks))
		picked[d.pick] = true
	}
	require.GreaterOrEqual(t, least, second)
	require.Less(t, least, second+100)
	require.Less(t, most, horizon)
	require.Greater(t, most, horizon-100)
	require.NotContains(t, picked, uint32(n))
	require.Len(t, picked, n)
}
