package workload

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

// The example of the documentation is a profile.
func TestDocumentation(t *testing.T) {
	text := must.Get(os.ReadFile("../docs/workloads.md"))(t)
	var example []string
	for line := range strings.Lines(string(text)) {
		if code, ok := strings.CutPrefix(line, "    "); ok {
			example = append(example, code)
		}
	}
	require.Equal(t, "rpc", must.Get(Parse(strings.NewReader(strings.Join(example, "")), "example.toml"))(t).Name)
}
