package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

func publishTiny(dir string, flags ...string) []string {
	return append(append([]string{"publish", dir}, costRun()...), flags...)
}

// What was once put together from parts is in one plan.
func TestPublishedPlanHasAll(t *testing.T) {
	t.Parallel()
	p := *must.Get(publishedPlan())(t)
	require.Equal(t, rundata.ExperimentNames(), p.Experiments)
	p.Start = func(context.Context, blocks.Order) *exec.Cmd { return nil } // or nothing is paused
	want := strings.Fields(`control-cost control-live cost-100-uniform cost-1000-bimodal cost-100000-exponential cost-1000000-uniform
		cost-1000-minute cost-tick-100 cost-tick-100000
		cost-live-pair-1000-1 cost-live-pair-1000-2 cost-live-pair-10000-1 cost-live-pair-100000-2 cost-live-pair-1000000-1
		profile-kafka-purgatory profile-rpc-timeout profile-idle-keepalive profile-heartbeat profile-cache-ttl@0.07
		live-kafka-purgatory live-heartbeat jitter jitter-short jitter-waiting-0 jitter-waiting-100000 slow-sleep slow-busy
		burst-100000 drain-250000 parallel-1000-1 parallel-1000-8 parallel-100000-4 slack
		tails-100000 tails-1000000 tails-functions-100000 tails-functions-1000000
		idle-0 idle-1 idle-100000 idle-waiting-100000 memory-empty map-100-10s map-1000000-1h0m0s`)
	if blocks.CanSuspend() {
		want = append(want, "pause")
	}
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
		{defaultPlan, 150 * time.Second, 200 * time.Second, "about three minutes", []string{"README.md", "Makefile", "cli/main.go"}},
		{publishedPlan, 38 * time.Minute, 52 * time.Minute, "about three quarters of an hour", []string{"docs/commands.md", "Makefile"}},
		{fullPlan, 140 * time.Minute, 170 * time.Minute, "about two and a half hours", []string{"docs/commands.md", "Makefile"}},
	} {
		takes := must.Get(c.plan())(t).Time()
		require.True(t, c.least <= takes && takes <= c.most, "%s: %v", c.said, takes)
		for _, name := range c.files {
			require.Contains(t, textOf(t, filepath.Join("..", name)), c.said, name)
		}
	}
}

// TestAPublishedRunStaysUntilTheNextIsThere follows two runs into one folder.
func TestAPublishedRunStaysUntilTheNextIsThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "published")
	bench(t, publishTiny(dir)...).ends(t, 0).says(t, "\nTAKE ", "published: report.html")
	isPublished(t, dir)
	require.NoDirExists(t, dir+"-new")

	args := publishTiny(dir, "--seed", "2")
	before := filesOf(t, dir)
	benchUntil(t, "block-01", args...).complains(t, "interrupted: 1 block is kept in "+dir+"-new, and the same command goes on from there; "+dir+" is as it was")
	require.Equal(t, before, filesOf(t, dir))

	bench(t, publishTiny(dir, "--seed", "3")...).refused(t, "remove the folder")
	require.Equal(t, before, filesOf(t, dir))

	done := bench(t, args...).ends(t, 0)
	require.Equal(t, 1, strings.Count(done.err, "measured before"), done.err)
	isPublished(t, dir)
	after := filesOf(t, dir)
	require.Contains(t, after[readmeFile], "--seed 2")
	require.NotEqual(t, before[readmeFile], after[readmeFile])
	require.NoDirExists(t, dir+"-new")
	require.NoDirExists(t, dir+"-replaced")
}

// isPublished checks that a folder has all that a published run has, and nothing else.
func isPublished(t *testing.T, dir string) {
	t.Helper()
	require.ElementsMatch(t, publicationFiles, must.Get(namesIn(dir))(t))
	files := filesOf(t, dir)
	require.Regexp(t, `\nVERDICT\n.`, files[reportFile])
	require.Contains(t, files[readmeFile], "## How far to trust it")
	links := regexp.MustCompile(`\]\((charts[^)]*)\)`).FindAllStringSubmatch(files[readmeFile], -1)
	require.NotEmpty(t, links, "charts that the verdict refers to")
	for _, link := range links {
		require.FileExists(t, filepath.Join(dir, link[1]))
	}
}

// filesOf returns the files of a folder without those of its folders.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	names := must.Get(namesIn(dir))(t)
	files := map[string]string{}
	for _, name := range names {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			files[name] = string(text)
		}
	}
	return files
}

func TestAPublishedRunIsDescribedAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	bench(t, dataRun("--out", dir)...).ends(t, 0)
	bench(t, "plot", dir).ends(t, 0)
	require.NoFileExists(t, filepath.Join(dir, readmeFile), "it was not asked for")
	bench(t, "plot", dir, "--readme").ends(t, 0)
	isPublished(t, dir)
	bench(t, "plot", dir, "--readme", "--margin", "50%").ends(t, 0)
	require.Contains(t, filesOf(t, dir)[readmeFile], "the whole 95 % interval of the ratio is within 50 %")
}

// Nothing is replaced but a published run.
func TestPublishLeavesOtherFoldersAlone(t *testing.T) {
	parent := t.TempDir()
	file := func(path ...string) string {
		return put(t, filepath.Join(append([]string{parent}, path...)...), "mine")
	}
	kept := []string{
		file("notes", "README.md"), file("notes", "notes.txt"), file("run", "data", "run.bench"),
		file("b-new", "thesis.txt"), file("c-replaced", "thesis.txt"), file("d", "README.md"), file("d", "old", "data", "run.bench"),
	}
	for reason, dir := range map[string]string{
		filepath.Join(parent, "notes") + " holds notes.txt, which \"bench publish\" did not write": "notes",
		"holds a run that was not published": "run",
		"b-new holds thesis.txt":             "b",
		"c-replaced holds thesis.txt":        "c",
		"d holds old, which":                 "d",
	} {
		bench(t, publishTiny(filepath.Join(parent, dir))...).refused(t, reason)
	}
	for _, name := range kept {
		require.FileExists(t, name)
	}
}

// The folder of the published run is for all that is published; how long each epoch is, and the seed, may be chosen.
func TestOnlyTheWholePlanIsPublishedByDefault(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"publish", "--quick"}, {"publish", "--experiments", "cost"}, {"publish", "--contestants", "hierwheel"}, {"publish", "--pending", "100"},
		{"publish", "--only", "presets"}, {"publish", "--burst", "0"}, {"publish", "results/published/", "--quick"},
	} {
		bench(t, args...).refused(t, "is for the whole plan")
	}
	require.True(t, (&planFlags{Published: true, Seed: 7, Budget: new(time.Second), Full: true}).whole())
	require.NoDirExists(t, "results")
}

// What another build has begun is kept aside.
func TestPublishStartsAnewByAnotherBuild(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "published")
	benchUntil(t, "block-01", publishTiny(dir)...)
	byAnother(t, dir+"-new")
	bench(t, publishTiny(dir)...).ends(t, 0).complains(t, "this one starts anew").lacks(t, "measured before")
	isPublished(t, dir)
	require.FileExists(t, filepath.Join(dir+"-new", "old", dataDir, "run.bench"))
	require.NoError(t, publicationIn(dir).check(), "what another build began does not matter")
}

// The run that is published may have been measured in another folder, which no reader has.
func TestThePublishedRunNamesNoFolder(t *testing.T) {
	text := textOf(t, filepath.Join("..", published, readmeFile))
	require.Regexp(t, `\n\| command \| `+"`bench publish( --budget [0-9.hms]+)?` \\|\n", text)
}

// A change that breaks off half-way is finished the next time.
func TestAChangeThatBrokeOffIsFinished(t *testing.T) {
	parent := t.TempDir()
	p := publicationIn(filepath.Join(parent, "published") + "/")
	write := func(dir, text string) { put(t, filepath.Join(dir, readmeFile), text) }
	for name, begin := range map[string]func(){
		"the first":        func() { write(p.aside, "new") },
		"another":          func() { write(p.dir, "old"); write(p.aside, "new") },
		"the old one away": func() { write(p.replaced, "old"); write(p.aside, "new") },
		"the new one there": func() { // and then another
			write(p.replaced, "older")
			write(p.dir, "old")
			write(p.aside, "new")
		},
	} {
		begin()
		require.NoError(t, p.check(), name)
		require.NoError(t, p.place(), name)
		require.Equal(t, map[string]string{readmeFile: "new"}, filesOf(t, p.dir), name)
		require.NoDirExists(t, p.aside, name)
		require.NoDirExists(t, p.replaced, name)
		require.NoError(t, os.RemoveAll(p.dir))
	}
}
