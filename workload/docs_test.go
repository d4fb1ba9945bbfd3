package workload

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/words"
)

// The documentation has the figures of the profiles, and its example is one.
func TestDocumentation(t *testing.T) {
	text, err := os.ReadFile("../docs/workloads.md")
	require.NoError(t, err)
	for _, p := range Builtin() {
		require.Contains(t, string(text), row(p))
	}
	var example []string
	for line := range strings.Lines(string(text)) {
		if code, ok := strings.CutPrefix(line, "    "); ok {
			example = append(example, code)
		}
	}
	p, err := Parse(strings.NewReader(strings.Join(example, "")), "example.toml")
	require.NoError(t, err)
	require.Equal(t, "rpc", p.Name)
}

// row is the line of a profile in the table of all.
func row(p *Profile) string {
	m, d := p.Mix(), p.Delay()
	delays := words.Span(float64(d.Min()))
	if d.Max() > d.Min() {
		delays += " to " + words.Span(float64(d.Max()))
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s | %s, %s |\n", p.Name,
		words.Count(m.Schedules), words.Count(m.Resets), words.Count(m.Cancels), percent(m.ResetShare()), percent(m.CancelShare()),
		words.Count(p.Pending(p.Length())), delays, words.Span(float64(p.Length())), words.Span(float64(p.Tick)))
}
