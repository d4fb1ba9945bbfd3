package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatAProcessPrintsIsRead(t *testing.T) {
	s, err := parse(strings.NewReader("lap 5.5 1\nlap 4 3\nlap 9 2\nfired 7 18446744073709551615\n"))
	require.NoError(t, err)
	require.Equal(t, shown{with: 5.5, alone: 2, fired: 7, sum: 1<<64 - 1}, s)
	for _, bad := range []string{
		"", "lap 1 1\n", "fired 1 1\n", "lap 1\nfired 1 1\n", "lap x 1\nfired 1 1\n", "lap 1 1\nfired -1 1\n",
		"lap 1 1 1\nfired 1 1\n", "leap 1 1\nfired 1 1\n", "lap 1 1\nfired 0 0\n",
	} {
		_, err := parse(strings.NewReader(bad))
		require.Error(t, err, bad)
	}
}

// printing is a party that prints something whatever it is asked.
func printing(name, text string) party {
	return party{name: name, command: []string{"sh", "-c", "printf '" + text + "'"}}
}

func TestWhoFiresSomethingElseIsFound(t *testing.T) {
	compiled(t) // or there may be no sh either
	x := exerciseOf(opPair, 3)
	right := printing("right", "lap 1 1\\nfired 2 5\\n")
	all, err := together(t.Context(), []party{right, right}, x, 1)
	require.NoError(t, err)
	require.Len(t, all, 2)
	_, err = together(t.Context(), []party{right, printing("wrong", "lap 1 1\\nfired 2 6\\n")}, x, 0)
	require.ErrorIs(t, err, errDiffer)
	require.ErrorContains(t, err, "of right 2 with the sum 5, of wrong 2 with the sum 6")
	_, err = together(t.Context(), []party{right, {name: "failing", command: []string{"sh", "-c", "echo broken >&2; exit 3"}}}, x, 0)
	require.ErrorContains(t, err, "failing, pair with 300 pending: died: exit status 3: broken")
}

func TestTheProgramInCRefusesWhatItCannotDo(t *testing.T) {
	p := peerOf("hierwheel", compiled(t))
	for _, x := range []exercise{{op: "nothing", pending: 1, count: 1}, {op: opPair, pending: -1, count: 1}, {op: opPair, pending: 1 << 40}} {
		_, err := p.do(t.Context(), x)
		require.ErrorContains(t, err, "exit status 2", x.String())
	}
}
