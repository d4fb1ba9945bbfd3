package report

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
	"schedbench/internal/tune"
)

// readmeOf returns a readme and checks its form: table rows have all cells, and nothing is left of the template.
func readmeOf(t *testing.T, d *rundata.Data, opt Options) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Judge(d, opt).WriteReadme(&b))
	for l := range strings.Lines(b.String()) {
		if strings.HasPrefix(l, "|") {
			require.Contains(t, []int{3, 5}, strings.Count(strings.ReplaceAll(l, `\|`, ""), "|"), l)
		}
	}
	lacks(t, b.String(), "<no value>", "{{", "\n\n\n")
	require.True(t, strings.HasSuffix(b.String(), "\n") && !strings.HasSuffix(b.String(), "\n\n"))
	return b.String()
}

func part(t *testing.T, readme, heading string) string {
	t.Helper()
	_, rest, ok := strings.Cut(readme, "\n## "+heading+"\n")
	require.True(t, ok, "there is no %q in\n%s", heading, readme)
	rest, _, _ = strings.Cut(rest, "\n## ")
	return rest
}

func TestReadmeSaysWhatTheDataSay(t *testing.T) {
	d := fullData()
	opt := Options{Requirement: tune.Requirements{Lateness: 20 * ms, CPU: 0.02}}
	got := readmeOf(t, d, opt)
	has(t, got,
		"One build measured all cells on one machine, without a break.",
		"| machine | Made-up CPU @ 3.00GHz, GOMAXPROCS 2, linux/amd64, kernel 6.1.0 |",
		"| Go | go1.26.0 |", "| commit | 0123abc |", "| command | `bench run -rounds 12` |", "| date | 2026-01-02 |", "| seed | 1 |",
		"the whole 95 % interval of the ratio is within 10 % of 1",
		"](charts/cost-pair.png)", "](charts/regret.png)",
	)
	trust := part(t, got, "How far to trust it")
	require.LessOrEqual(t, strings.Count(got, "\n"), 150, "lines")
	for _, s := range Judge(d, opt).Sections() {
		for _, p := range s.Parts {
			require.Equal(t, 1, strings.Count(part(t, got, "Charts, and what each shows"), p.Heading), p.Heading)
		}
	}
	has(t, trust, " one contestant was measured twice. ", "unclear; ")
	require.Equal(t, 1, strings.Count(got, " one contestant was measured twice. "), "and nowhere else")
}

func TestReadmeOfLittle(t *testing.T) {
	g := newSynthetic(6)
	g.costs([]string{"pair"}, []string{"uniform"}, []int{100}, rundata.EmptyControl, "heapsched", "hierwheel")
	for _, s := range g.data.Series[1:] {
		s.Block = rundata.InBlocks(len(s.Iterations), 3)
	}
	g.data.Env["runs"] = "2"
	g.data.Env["command"], g.data.Env["commit"], g.data.Env["cpu"] = "", "", "a|b"
	got := readmeOf(t, g.data, Options{Margin: 1.05})
	has(t, got, "It measured the same cells 2 times and merged the runs.", "interval of the ratio is within 5 % of 1", `| machine | a\|b, GOMAXPROCS`)
	lacks(t, got, "without a break", "| commit", "| command", "charts/idle.png")
	require.NoError(t, Judge(nil, Options{}).WriteReadme(io.Discard))
}
