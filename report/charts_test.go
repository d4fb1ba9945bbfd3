package report

import (
	"flag"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// keep is for looking at the charts: go test -run TestCharts -charts DIR.
var keep = flag.String("charts", "", "keep the charts of made-up data in this directory")

func TestCharts(t *testing.T) {
	dir := *keep
	if dir == "" {
		dir = t.TempDir()
	}
	opt := ChartOptions{SVG: *keep == "", Recommended: "5ms", Requirement: Requirement{P99: 10e6, CPUShare: 0.01}}
	names, err := Charts(fullData(), dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if filepath.Ext(name) == ".png" {
			decode(t, filepath.Join(dir, name))
		}
	}
}

func decode(t *testing.T, name string) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	img, err := png.Decode(file)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if size := img.Bounds().Size(); size.X < 1000 || size.Y < 800 {
		t.Errorf("%s is only %v", name, size)
	}
}
