package tuning

import (
	"flag"
	"image/png"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
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
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	img, err := png.Decode(file)
	require.NoError(t, err)
	size := img.Bounds().Size()
	require.True(t, size.X >= 1600 && size.Y >= 900, "%s is only %v", name, size)
}
