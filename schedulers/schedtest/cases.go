package schedtest

import (
	"testing"

	"pgregory.net/rapid"

	"schedbench/internal/lists"
)

// Case checks one rule of the contract.
type Case struct {
	// Name identifies the case, as the name of a subtest.
	Name string
	// Rule says what the contract demands.
	Rule string

	check func(r *trial)
}

// RunAll makes all checks of this package that a test can: for each scheduler the cases of Run and the state machine of
// Check, and for the first one Compare with a million operations, unless testing.Short.
func RunAll(t *testing.T, all ...Scheduler) {
	t.Helper()
	for i, s := range all {
		t.Run(s.Name, func(t *testing.T) {
			Run(t, s)
			t.Run("state machine", func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) { Check(t, s) })
			})
			if i > 0 || testing.Short() {
				return
			}
			t.Run("compare", func(t *testing.T) {
				if err := Compare(s, 1, 1_000_000); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// Run checks s against all cases, each a subtest. Some cases count the allocations and bytes of the whole process, so
// the calling test must not run in parallel with others.
func Run(t *testing.T, s Scheduler) {
	t.Helper()
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) { c.Run(t, s) })
	}
}

// Run checks s against this case.
func (c Case) Run(t *testing.T, s Scheduler) {
	t.Helper()
	switch r := c.Verify(s); {
	case r.Err != nil:
		t.Fatalf("%v\nthe rule: %s", r.Err, c.Rule)
	case r.Skipped != "":
		t.Skip(r.Skipped)
	}
}

// Result is the outcome of one case.
type Result struct {
	// Case is the case that was run.
	Case Case
	// Err says how the scheduler breaks the rule; nil if it keeps it.
	Err error
	// Skipped says why the case does not apply; empty if it does.
	Skipped string
}

// Verify checks s against all cases outside of a test and returns the results in the order of Cases.
func Verify(s Scheduler) []Result {
	return lists.Each(Cases(), func(c Case) Result { return c.Verify(s) })
}

// Verify checks s against this case outside of a test. A panic is a failure.
func (c Case) Verify(s Scheduler) Result {
	err := judged(func() { c.check(begin(s, (*trial).invariants)) })
	if lacks, ok := err.(inapplicable); ok {
		return Result{Case: c, Skipped: lacks.Error()}
	}
	return Result{Case: c, Err: err}
}
