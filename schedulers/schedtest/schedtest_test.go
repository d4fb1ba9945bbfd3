package schedtest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/internal/lists"
	"schedbench/internal/must"
	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
)

// tested are variants of sound, each of which must pass everything.
func tested() []schedtest.Scheduler {
	return []schedtest.Scheduler{
		described(0, 0, unchanged),
		described(time.Millisecond, 0, unchanged),
		described(1, 0, unchanged),
		described(7, 0, unchanged),
		described(time.Second, 0, func(s *sound) scheduler { return shows{s, showsFirst, 0} }),
		described(time.Hour, 0, unchanged),
		described(time.Millisecond, 512*time.Millisecond, unchanged),
		described(10, 40, unchanged),
		described(0, time.Second, unchanged),
		coarse(time.Millisecond, unchanged),
		coarse(7, unchanged),
	}
}

// Of what takes long, a few geometries are enough.
func TestSoundPasses(t *testing.T) {
	for i, s := range tested() {
		for _, c := range schedtest.Cases() {
			if i%4 == 1 || !slices.Contains([]string{"model", "memory-returns", "many-values"}, c.Name) {
				t.Run(s.Name+"/"+c.Name, func(t *testing.T) { c.Run(t, s) })
			}
		}
		t.Run(s.Name+"/state machine", func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { schedtest.Check(t, s) }) })
	}
}

// caseNamed returns the case of a name.
func caseNamed(t *testing.T, name string) schedtest.Case {
	t.Helper()
	all := schedtest.Cases()
	i := slices.IndexFunc(all, func(c schedtest.Case) bool { return c.Name == name })
	require.GreaterOrEqual(t, i, 0, "no case is called %s", name)
	return all[i]
}

func TestCompareIsRepeatable(t *testing.T) {
	s := described(time.Millisecond, 0, nows(func(m *sound, now time.Duration) time.Duration { return min(now, now-m.tick) }))
	first := schedtest.Compare(s, 3, 10_000)
	require.Error(t, first)
	assert.ErrorContains(t, first, "seed 3, operation ")
	assert.ErrorContains(t, first, s.Name)
	assert.Equal(t, first.Error(), schedtest.Compare(s, 3, 10_000).Error())
}

func TestVerifyReports(t *testing.T) {
	type bare struct{ schedulers.Scheduler[uint64] }
	s := described(time.Millisecond, 0, func(s *sound) schedulers.Scheduler[uint64] { return bare{s} })
	results := schedtest.Verify(s)
	require.Len(t, results, len(schedtest.Cases()))
	skipped := map[string]bool{}
	for _, r := range results {
		assert.NoError(t, r.Err, r.Case.Name)
		if r.Skipped != "" {
			skipped[r.Case.Name] = true
		}
	}
	for _, name := range []string{"reset", "resolution", "long-jump"} {
		assert.True(t, skipped[name], "%s does not apply to a bare scheduler", name)
	}
	assert.False(t, skipped["model"])
}

// ring is sound with the methods of a wheel.
type ring struct {
	*sound
	slots int
}

func (r ring) Horizon() time.Duration { return r.horizon }
func (r ring) Slots() int             { return r.slots }

func TestAWheelIsDescribedByItsMethods(t *testing.T) {
	s := schedtest.Wheel(func(tick time.Duration, slots int) (ring, error) {
		return ring{newSound(tick, 16*tick), 2 * slots}, nil
	}, time.Millisecond, 8)
	require.Equal(t, []any{"tick=1ms/slots=8", time.Millisecond, 16 * time.Millisecond, 16}, []any{s.Name, s.Tick, s.Horizon, s.Slots})
	require.NoError(t, caseNamed(t, "resolution").Verify(s).Err)

	s = schedtest.Wheel(func(time.Duration, int) (ring, error) { return ring{}, os.ErrNotExist }, 1, 1)
	require.ErrorContains(t, caseNamed(t, "in-time").Verify(s).Err, os.ErrNotExist.Error())
}

func FuzzSound(f *testing.F) {
	schedtest.Fuzz(f, described(time.Millisecond, 0, unchanged))
}

// The contract is written where its interfaces are: nothing is checked that it does not state.
func TestEachCaseIsNamedBesideItsRule(t *testing.T) {
	comment, _, _ := strings.Cut(string(must.Get(os.ReadFile(filepath.Join("..", "schedulers.go")))(t)), "\npackage schedulers")
	comment = strings.ReplaceAll(comment, "\n// ", " ")
	found := regexp.MustCompile(`\[([a-z-]+)\]`).FindAllStringSubmatch(comment, -1)
	named := lists.Each(found, func(n []string) string { return n[1] })
	var cases []string
	for _, c := range schedtest.Cases() {
		assert.Regexp(t, `^[A-Z].*\.$`, c.Rule)
		cases = append(cases, c.Name)
	}
	require.Subset(t, cases, named)
	require.Subset(t, named, cases)
}

// uncounted hides that a scheduler is a Meter, and notes the most that was pending.
type uncounted struct {
	scheduler
	most *int
}

func (s uncounted) Schedule(at time.Duration, v uint64) (schedulers.ID, error) {
	*s.most = max(*s.most, s.Len()+1)
	return s.scheduler.Schedule(at, v)
}

// A list that is scanned from its head takes a pass over all values for each deadline in ascending order.
func TestAListThatCountsNothingIsNotFilledForever(t *testing.T) {
	for name, want := range map[string]int{"many-values": 10_000, "memory-returns": 20_000} {
		most := 0
		s := described(0, 0, func(s *sound) scheduler { return uncounted{s, &most} })
		require.NoError(t, caseNamed(t, name).Verify(s).Err)
		require.InDelta(t, want, most, 10, name)
	}
}

func TestAnErrorOfNewIsWrapped(t *testing.T) {
	none := func() (schedulers.Scheduler[uint64], error) { return nil, schedulers.ErrFull }
	require.ErrorIs(t, schedtest.Compare(schedtest.Scheduler{Name: "none", New: none}, 1, 1), schedulers.ErrFull)
}
