package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
	"schedbench/workload"
)

// ownProfile is a profile such as a user would write.
const ownProfile = `name = "mine"
about = "A thing of my own."
source = "a guess: nothing else."
length = "1s"
tick = "1ms"
[[timers]]
name = "t"
arrivals = "poisson(100/s)"
delay = "5s"
cancel = { share = "40%", after = "1s" }
`

func TestWorkloadsListsAllProfiles(t *testing.T) {
	mine := written(t, "mine.toml", ownProfile)
	t.Chdir(t.TempDir())
	got := bench(t, "workloads", "--workload", mine, "--no-charts").ends(t, 0)
	require.Empty(t, got.err)
	lines := strings.Split(got.out, "\n")
	require.Equal(t, strings.Fields("PROFILE ARRIVALS DELAY CANCELLED RESET PENDING OPS/S MODELLED ON"), strings.Fields(lines[0]))
	all := workload.Builtin()
	for i, p := range all {
		require.True(t, strings.HasPrefix(lines[1+i], p.Name+" "), lines[1+i])
	}
	require.Equal(t, strings.Fields("mine poisson(100/s) 5s 40 % 0 % 100 140 a guess"), strings.Fields(lines[1+len(all)]))
	for _, line := range lines {
		require.Less(t, len(line), 170)
	}
}

func TestWorkloadsDescribesThoseThatAreNamed(t *testing.T) {
	mine := written(t, "mine.toml", ownProfile)
	t.Chdir(t.TempDir())
	got := bench(t, "workloads", "tcp-rto", mine, "--no-charts").ends(t, 0)
	tcp := must.Get(workload.Find("tcp-rto"))(t)
	require.Equal(t, tcp.Describe()+"\n"+must.Get(workload.Find(mine))(t).Describe(), got.out)
	isEmpty(t)
}

func TestWorkloadsDrawsWhereItIsTold(t *testing.T) {
	t.Chdir(t.TempDir())
	bench(t, "workloads", "idle", "--out", "here", "--svg").ends(t, 0).says(t, "profiles.png profiles.svg")
	require.FileExists(t, filepath.Join("here", "profiles.svg"))

	bench(t, "workloads", "idle").says(t, "charts: results/workloads: profiles.png")
	require.FileExists(t, filepath.Join("results", "workloads", "profiles.png"))
}
