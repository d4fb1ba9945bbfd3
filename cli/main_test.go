package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/experiments"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/workload"
)

func TestListNamesAllThatCanBeMeasured(t *testing.T) {
	got := bench(t, "list").ends(t, 0)
	require.Empty(t, got.err)
	for _, c := range append(catalog.All(), catalog.Presets()...) {
		got.says(t, c.Name, c.Family)
	}
	got.says(t, append(rundata.Ops(), experiments.Delays()...)...)
	for _, e := range rundata.ExperimentNames() {
		require.Contains(t, got.out, strings.ToLower(e))
	}
	groups := strings.Split(got.out, "\n\n")
	require.Len(t, groups, 5)
	for i, title := range []string{"CONTESTANT", "BASELINE", "PRESET", "OPERATION", "experiments: "} {
		require.True(t, strings.HasPrefix(groups[i], title), groups[i])
	}
	require.Contains(t, got.out, "compared:    bare schedulers with each other and container-heap, drivers with time.AfterFunc\n")
	require.Contains(t, groups[1], "container-heap")
	require.Contains(t, groups[2], "netty")
	require.Contains(t, groups[3], "idle tick")
}

func TestVerifyExitsWith1WhereARuleIsBroken(t *testing.T) {
	t.Parallel()
	bench(t, "verify", "--ops", "10", "--rules", "--contestants", "container-heap,time.AfterFunc").ends(t, exitFailed).
		says(t, "container-heap: BROKEN no-allocations: ", "the rule: ", "container-heap: kept in-time: ", "time.AfterFunc: not checked, it has no bare scheduler").
		complains(t, "rules are broken").lacks(t, "heapsched")
}

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

func TestWorkloadsListsAllProfilesOrDescribesSome(t *testing.T) {
	mine := written(t, "mine.toml", ownProfile)
	t.Chdir(t.TempDir())
	tcp := must.Get(workload.Find("tcp-rto"))(t)
	described := bench(t, "workloads", "tcp-rto", mine).ends(t, 0).out
	require.Equal(t, tcp.Describe()+"\n"+must.Get(workload.Find(mine))(t).Describe(), described)

	got := bench(t, "workloads").ends(t, 0)
	require.Empty(t, got.err)
	lines := strings.Split(got.out, "\n")
	require.Equal(t, strings.Fields("PROFILE ARRIVALS DELAY CANCELLED RESET PENDING OPS/S MODELLED ON"), strings.Fields(lines[0]))
	all := workload.Builtin()
	for i, p := range all {
		require.True(t, strings.HasPrefix(lines[1+i], p.Name+" "), lines[1+i])
	}
	var own strings.Builder
	require.NoError(t, printProfiles(&own, []*workload.Profile{must.Get(workload.Find(mine))(t)}))
	require.Equal(t, strings.Fields("mine poisson(100/s) 5s 40 % 0 % 100 140 a guess"), strings.Fields(strings.Split(own.String(), "\n")[1]))
	for _, line := range lines {
		require.Less(t, len(line), 170)
	}
	isEmpty(t)
}
