package tune

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// histogram is a distribution of lateness.
type histogram struct{ *hdrhistogram.Histogram }

// mostLate is the greatest lateness that is told from longer ones, and lateFigures
// how many significant figures all have.
const (
	mostLate    = 24 * time.Hour
	lateFigures = 3
)

func newHistogram() *histogram {
	return &histogram{hdrhistogram.New(1, int64(mostLate), lateFigures)}
}

// add notes n durations. One out of range counts as the nearest that is not.
func (h *histogram) add(d time.Duration, n int64) {
	_ = h.RecordValues(min(max(int64(d), 0), h.HighestTrackableValue()), n) // it is in range
}

// quantile returns the duration that a share p of all does not exceed, in seconds.
// Without any durations it is 0.
func (h *histogram) quantile(p float64) float64 {
	n := float64(h.TotalCount())
	rank := math.Ceil(p * n) // where the library takes the nearest, which may exceed less than p
	return time.Duration(h.ValueAtPercentile(100 * rank / max(n, 1))).Seconds()
}
