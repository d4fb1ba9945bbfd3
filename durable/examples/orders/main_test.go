package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The processes that are killed are this test under another name.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestNothingIsLost(t *testing.T) {
	for _, command := range []string{"restart", "workers"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			err := run([]string{command, "-orders", "60", "-within", "3s"}, &out)
			t.Log(out.String())
			require.NoError(t, err)
			require.Contains(t, out.String(), "60 orders, 20 of them paid")
			require.Contains(t, out.String(), "lost 0, closed early 0, closed though paid 0")
		})
	}
}

// What must not happen is found if it does.
func TestTheAccountFindsFaults(t *testing.T) {
	a := new(account)
	for _, line := range []string{"placed 1", "placed 2", "placed 3", "placed 4", "paid 3", "paid 4", "nonsense", "closed 1 5 1"} {
		a.hear(1, line)
	}
	require.Equal(t, 1, a.lost())
	require.ErrorContains(t, a.print(new(strings.Builder)), "must not happen")
	a.mark()
	a.hear(1, "closed 2 7 2")
	a.hear(1, "closed 1 9 1")
	var out strings.Builder
	require.NoError(t, a.print(&out))
	require.Contains(t, out.String(), "lost 0, closed early 0, closed though paid 0, closed twice 1")
	require.Len(t, a.of("closed", takenOver), 1)
	require.Len(t, a.of("closed", after), 2)
	a.wait(time.Hour) // nothing to wait for

	a.hear(1, "closed 3 7 1")
	require.Error(t, a.print(&out), "closed though paid")
	a = new(account)
	a.hear(1, "placed 1")
	a.hear(1, "closed 1 -5 1")
	require.Error(t, a.print(&out), "closed early")
}

func TestItIsToldHowToCallIt(t *testing.T) {
	require.ErrorIs(t, run(nil, new(strings.Builder)), errUsage)
	require.ErrorIs(t, run([]string{"sell"}, new(strings.Builder)), errUsage)
}
