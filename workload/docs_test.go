package workload

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The example of the documentation is a profile.
func TestDocumentation(t *testing.T) {
	text, err := os.ReadFile("../docs/workloads.md")
	require.NoError(t, err)
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
