package schedtest

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"schedbench/internal/lists"
)

// TestingT is what a case needs of a test. *testing.T and *rapid.T have it.
type TestingT interface {
	Helper()
	Errorf(format string, args ...any)
	FailNow()
	Skipf(format string, args ...any)
}

// Case checks one rule of the contract.
type Case struct {
	// Name identifies the case, as the name of a subtest.
	Name string
	// Rule says what the contract demands.
	Rule string
	// Run checks the rule. It skips itself where the scheduler lacks the optional interface that the rule is about.
	Run func(t TestingT, s Scheduler)
}

func rule(name, text string, check func(r *trial)) Case {
	return Case{name, text, func(t TestingT, s Scheduler) { check(begin(t, s)) }}
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
		t.Run(c.Name, func(t *testing.T) {
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("the rule: %s", c.Rule)
				}
			})
			c.Run(t, s)
		})
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
	var r caseRecorder
	var alone sync.WaitGroup
	alone.Go(func() { // since FailNow ends the goroutine
		defer func() {
			if p := recover(); p != nil {
				r.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		c.Run(&r, s)
	})
	alone.Wait()
	return Result{Case: c, Err: errors.Join(r.failures...), Skipped: r.skipped}
}

// caseRecorder is a TestingT that keeps the failures and the reason to skip.
type caseRecorder struct {
	failures []error
	skipped  string
}

func (r *caseRecorder) Helper() {}

func (r *caseRecorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Errorf(format, args...))
}

func (r *caseRecorder) FailNow() {
	if len(r.failures) == 0 {
		r.Errorf("failed without a message")
	}
	runtime.Goexit()
}

func (r *caseRecorder) Skipf(format string, args ...any) {
	r.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}
