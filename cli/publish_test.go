package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/must"
)

var publishedPlan = sizedPlan(planFlags{Published: true})

// What was once put together from parts is in one plan.
func TestPublishedPlanHasAll(t *testing.T) {
	t.Parallel()
	p := *must.Get(publishedPlan())(t)
	require.Equal(t, rundata.ExperimentNames(), p.Experiments)
	p.Start = func(context.Context, blocks.Order) *exec.Cmd { return nil } // or nothing is paused
	want := strings.Fields(strings.ReplaceAll(`control-cost control-live cost-100-uniform cost-1000-bimodal cost-100000-exponential cost-1000000-uniform
		cost-1000-minute cost-tick-100 cost-tick-100000
		cost-live-pair-1000-1 cost-live-pair-1000-ALL cost-live-pair-10000-1 cost-live-pair-100000-ALL cost-live-pair-1000000-1
		profile-kafka-purgatory profile-rpc-timeout profile-idle-keepalive profile-heartbeat profile-cache-ttl@0.07
		live-kafka-purgatory live-heartbeat jitter jitter-short jitter-waiting-0 jitter-waiting-100000 slow-sleep slow-busy
		burst-100000 drain-250000 parallel-1000-1 parallel-1000-ALL parallel-100000-ALL
		tails-100000 tails-1000000 tails-functions-100000 tails-functions-1000000
		idle-0 idle-1 idle-100000 idle-waiting-100000 memory-empty map-100-10s map-1000000-1h0m0s`, "ALL", strconv.Itoa(runtime.GOMAXPROCS(0))))
	require.Subset(t, lists.Each(p.Cells(), func(c harness.Cell) string { return c.Name }), want)
	require.Less(t, p.Least(), p.Budget)
}

// TestPlansTakeWhatIsSaid holds what the README, the Makefile and this package's comment say to the plans.
func TestPlansTakeWhatIsSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		plan        func() (*harness.Plan, error)
		least, most time.Duration
		said        string
		files       []string
	}{
		{quickPlan, 5 * time.Second, 40 * time.Second, "half a minute", []string{"README.md", "docs/commands.md"}},
		{defaultPlan, 140 * time.Second, 200 * time.Second, "about three minutes", []string{"README.md", "Makefile", "cli/main.go"}},
		{publishedPlan, 32 * time.Minute, 44 * time.Minute, "about forty minutes", []string{"docs/commands.md", "Makefile"}},
		{fullPlan, 140 * time.Minute, 170 * time.Minute, "about two and a half hours", []string{"docs/commands.md", "Makefile"}},
	} {
		takes := must.Get(c.plan())(t).Time()
		require.True(t, c.least <= takes && takes <= c.most, "%s: %v", c.said, takes)
		for _, name := range c.files {
			require.Contains(t, textOf(t, filepath.Join("..", name)), c.said, name)
		}
	}
}

func TestAPublishedRunHasAReadme(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	args := slices.DeleteFunc(costRun("--published", "--blocks", "1", "--out", dir), func(arg string) bool { return arg == "--quick" })
	bench(t, args...).ends(t, 0).says(t, "\nTAKE ", "report.html")
	isPublished(t, dir)
	bench(t, "--published", "--quick").refused(t, "--published")
}

// isPublished checks that a folder has all that a published run has, and nothing else.
func isPublished(t *testing.T, dir string) {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	require.ElementsMatch(t, []string{dataDir, chartsDir, answersFile, pageFile, reportFile, readmeFile}, lists.Each(entries, os.DirEntry.Name))
	require.Regexp(t, `\nVERDICT\n.`, textOf(t, filepath.Join(dir, reportFile)))
	readme := textOf(t, filepath.Join(dir, readmeFile))
	require.Contains(t, readme, "## How far to trust it")
	links := regexp.MustCompile(`\]\((charts[^)]*)\)`).FindAllStringSubmatch(readme, -1)
	require.NotEmpty(t, links, "charts that the verdict refers to")
	for _, link := range links {
		require.FileExists(t, filepath.Join(dir, link[1]))
	}
}

// published is the folder of the published run.
var published = filepath.Join(resultsDir, "published")

func TestAPublishedRunIsDescribedAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	bench(t, dataRun("--out", dir)...).ends(t, 0)
	bench(t, "plot", dir).ends(t, 0)
	require.NoFileExists(t, filepath.Join(dir, readmeFile), "it was not asked for")
	bench(t, "plot", dir, "--readme").ends(t, 0)
	isPublished(t, dir)
	bench(t, "plot", dir, "--readme", "--margin", "50%").ends(t, 0)
	require.Contains(t, textOf(t, filepath.Join(dir, readmeFile)), "the whole 95 % interval of the ratio is within 50 %")
}
