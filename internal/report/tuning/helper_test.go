package tuning

import (
	"flag"
	"image/png"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

// lookAt is for looking at the charts: go test -run Chart -charts DIR.
var lookAt = flag.String("charts", "", "keep the charts of made-up data in this directory")

// chartsDirOf is where charts go: to be looked at with -charts.
func chartsDirOf(t *testing.T) string {
	if *lookAt != "" {
		return *lookAt
	}
	return t.TempDir()
}

func decode(t *testing.T, name string) {
	t.Helper()
	file := must.Get(os.Open(name))(t)
	defer file.Close()
	size := must.Get(png.Decode(file))(t).Bounds().Size()
	require.True(t, size.X >= 1600 && size.Y >= 900, "%s is only %v", name, size)
}
