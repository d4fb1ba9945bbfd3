// Package must has, for tests, the values of calls that have to succeed.
package must

import "github.com/stretchr/testify/require"

// Get returns what a call returned, and fails the test if that was an error: must.Get(os.ReadFile(name))(t).
func Get[T any](value T, err error) func(require.TestingT) T {
	return func(t require.TestingT) T {
		if h, ok := t.(interface{ Helper() }); ok {
			h.Helper()
		}
		require.NoError(t, err)
		return value
	}
}
