package schedtest

import (
	"testing"

	"pgregory.net/rapid"
)

const (
	manyOps = 1_000_000
	someOps = 100_000
)

// RunAll does all that this package can do to a scheduler in a test: for each
// subject the cases of Run, the state machine of Check, and Compare, with a
// million operations for the first subject and fewer for the others, which are
// usually there for their geometry, or with testing.Short.
func RunAll(t *testing.T, subjects ...Subject) {
	t.Helper()
	for i, s := range subjects {
		t.Run(s.Name, func(t *testing.T) {
			Run(t, s)
			t.Run("state machine", func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) { Check(t, s) })
			})
			t.Run("compare", func(t *testing.T) {
				ops := manyOps
				if i > 0 || testing.Short() {
					ops = someOps
				}
				if err := Compare(s, uint64(i+1), ops); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}
