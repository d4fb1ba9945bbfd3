package durable

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A timer that was handed out is gone if only marks of earlier changes are left, and there if its own message is.
func TestWhatIsGoneDoesNotRun(t *testing.T) {
	h := &held{record: record{id: "a", change: 3}, seq: 30}
	mark := state{record: record{id: "a", change: 2}, word: atWord, marked: true, seq: 20, last: 20}
	own := state{record: h.record, word: dueWord, seq: 30, last: 30}
	require.True(t, newest([]state{mark}).outdates(h))
	require.False(t, newest([]state{mark, own}).outdates(h))
}
