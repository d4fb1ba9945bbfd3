package schedtest

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
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
	// Run checks the rule. It skips itself where the scheduler lacks the
	// optional interface that the rule is about.
	Run func(t TestingT, s Subject)
}

// Cases returns all cases, in the order of a reader who begins with when values
// come out and ends with what that costs.
func Cases() []Case {
	return slices.Concat(
		timeCases(), orderCases(), cancelCases(), nextCases(),
		limitCases(), optionalCases(), workCases(), memoryCases(), modelCases(),
	)
}

// Run checks s against all cases, each a subtest. The cases that count
// allocations and bytes count those of the whole process, so the calling test
// must not run in parallel with others.
func Run(t *testing.T, s Subject) {
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
	// Err says how the scheduler breaks the rule; nil if it was not seen to.
	Err error
	// Skipped says why the case does not apply; empty if it does.
	Skipped string
}

// Verify checks s against all cases outside of a test and returns the results
// in the order of Cases.
func Verify(s Subject) []Result {
	cases := Cases()
	results := make([]Result, len(cases))
	for i, c := range cases {
		results[i] = c.Verify(s)
	}
	return results
}

// Verify checks s against this case outside of a test. A panic is a failure.
func (c Case) Verify(s Subject) Result {
	// FailNow ends the goroutine, so the case gets one of its own.
	var r caseRecorder
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				r.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		c.Run(&r, s)
	}()
	<-done
	return Result{Case: c, Err: r.err(), Skipped: r.skipped}
}

// caseRecorder is a TestingT that keeps what it is told.
type caseRecorder struct {
	failures []string
	failed   bool
	skipped  string
}

func (r *caseRecorder) Helper() {}

func (r *caseRecorder) Errorf(format string, args ...any) {
	r.failed = true
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *caseRecorder) FailNow() {
	r.failed = true
	runtime.Goexit()
}

func (r *caseRecorder) Skipf(format string, args ...any) {
	r.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *caseRecorder) err() error {
	switch {
	case !r.failed:
		return nil
	case len(r.failures) == 0:
		return fmt.Errorf("failed without a message")
	}
	return fmt.Errorf("%s", strings.Join(r.failures, "\n"))
}
