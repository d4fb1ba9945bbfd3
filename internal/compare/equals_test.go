package compare

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
)

// untouched says that only hierwheel was changed.
func untouched(impl string) bool { return impl != "hierwheel" }

// linkedBuilds makes up pairs of processes of two builds, in one of which hierwheel takes
// so many times as long.
func linkedBuilds(seed uint64, linked, slow float64) (old, new []*rundata.Data) {
	f := newFabric(seed)
	f.blocks, f.linked = 2, linked
	var sides [2][]*rundata.Data
	for side := range sides {
		f.build()
		if side == 1 {
			f.slow = map[string]float64{"hierwheel": slow}
		}
		for range 10 {
			sides[side] = append(sides[side], f.run())
		}
	}
	return sides[0], sides[1]
}

// Two builds whose hierwheel is the same: the linker puts its code elsewhere, which all
// processes of a build share. The table is in docs/comparing.md.
func TestWhereTheLinkerPutsCodeMakesNothingBetter(t *testing.T) {
	draws := 5
	if *whole {
		draws = 200
	}
	rules := []Terms{{Only: exactly(rundata.Cost)}, {Only: exactly(rundata.Cost), Untouched: untouched}}
	for _, c := range []struct{ linked, found float64 }{{0, 1}, {0.03, 0.99}, {0.06, 0.6}} {
		var wrong [2]int // runs with a false answer, without the rule and with it
		found := 0
		for i := range draws {
			old, new := linkedBuilds(uint64(i), c.linked, 1)
			for k, terms := range rules {
				r, err := Processes(old, new, terms)
				require.NoError(t, err)
				if k == 0 {
					for i := range r.Rows {
						r.Rows[i].noise, r.Rows[i].equals = r.Rows[i].most, nil
					}
					r.answer()
				}
				if n, _ := significant(r); n > 0 {
					wrong[k]++
				}
			}
			old, new = linkedBuilds(uint64(i), c.linked, 1.4)
			r, err := Processes(old, new, rules[1])
			require.NoError(t, err)
			for _, row := range r.With(Worse) {
				require.Equal(t, "hierwheel", row.impl)
				found++
			}
		}
		of := draws * len(madeOps) * len(madePending)
		t.Logf("builds scatter by %g: a false answer in %d and %d of %d runs; of changes by 1.4 %d of %d are found", c.linked, wrong[0], wrong[1], draws, found, of)
		require.LessOrEqual(t, wrong[1], max(1, draws/20))
		if c.linked > 0.05 {
			require.Equal(t, draws, wrong[0], "the scatter of builds is in no interval")
		}
		require.GreaterOrEqual(t, float64(found), c.found*float64(of))
	}
}

func TestTheSameCodeIsNeitherBetterNorOpen(t *testing.T) {
	old, new := linkedBuilds(1, 0.1, 1)
	r, err := Processes(old, new, Terms{Only: exactly(rundata.Cost), Untouched: func(string) bool { return true }})
	require.NoError(t, err)
	require.Empty(t, append(r.With(Better), r.With(Worse)...))
	require.Empty(t, r.Open(), "no change has made it worse")
	tables, sentences := said(t, r)
	require.Contains(t, tables, "unclear: the code is the same")
	require.NotContains(t, sentences, "Only a change by more than")

	r, err = Processes(old, new, Terms{Only: exactly(rundata.Cost), Untouched: untouched})
	require.NoError(t, err)
	_, sentences = said(t, r)
	require.Regexp(t, `code that is the same in both \(container-heap, heapsched and roundswheel\) .* Only a change by more than 1\.\d+× to 1\.\d+× is called`, sentences)
	r, err = Processes(old, new, Terms{Only: func(name string) bool { return strings.Contains(name, "hierwheel") }, Untouched: untouched})
	require.NoError(t, err)
	_, sentences = said(t, r)
	require.NotContains(t, sentences, "Only a change by more than", "there is nothing to hold it against")
}

// A/A that is apart by a third makes a difference of a fifth no answer.
func TestWhatAAShowsIsNoDifference(t *testing.T) {
	f := newFabric(3)
	old := f.run()
	f.slow = map[string]float64{"hierwheel": 1.2}
	new := f.run()
	only := Terms{Only: func(name string) bool {
		return strings.Contains(name, "impl=hierwheel") && strings.HasPrefix(name, rundata.Cost)
	}}
	require.NotEmpty(t, folders(t, old, new, only).With(Worse))
	for _, s := range old.Series {
		if s.Get("impl") == "hierwheel-again" {
			for i := range s.Values[rundata.NsPerOp] {
				s.Values[rundata.NsPerOp][i] *= 1.33
			}
		}
	}
	require.Empty(t, folders(t, old, new, only).With(Worse))
}
