package blocks

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
)

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
