package page

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What stands in place of a chart in a narrow window names tables only where there are some.
func TestTablesThatAreNamedAreThere(t *testing.T) {
	named, alone := 0, 0
	for _, section := range elements(parsed(t, "published"), "section") {
		if !strings.HasPrefix(attribute(section, "class"), "part") {
			continue
		}
		for _, p := range elements(section, "p") {
			switch {
			case attribute(p, "class") != "narrow":
			case strings.Contains(textOf(p), "tables below"):
				named++
				require.NotEmpty(t, elements(section, "table"), textOf(section))
			default:
				alone++
				require.Empty(t, elements(section, "table"), textOf(section))
			}
		}
	}
	require.Positive(t, named)
	require.Positive(t, alone)
}
