package chart

import (
	"image/color"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"

	"schedbench/internal/report/chart/charttest"
	"schedbench/internal/words"
)

// ratios is a heat map of one panel, with a row for each value.
func ratios(most float64, values ...float64) *Figure {
	p := &HeatPanel{Columns: []string{"insert"}, Most: most}
	h := &Heat{Panels: []*HeatPanel{p}}
	for _, v := range values {
		h.Rows, h.Notes = append(h.Rows, "one"), append(h.Notes, "")
		p.Cells = append(p.Cells, []HeatCell{{Value: v, Text: words.Times(v)}})
	}
	return &Figure{Heat: h, Named: true, Width: 400, Height: 300}
}

func drawn(t *testing.T, f *Figure) (texts []string, at map[string]vg.Point) {
	t.Helper()
	require.True(t, f.Prepare())
	return charttest.Texts(f.Draw, f.Width, f.Height)
}

// A few values beyond all others do not make these alike: from a most on all are equally dark.
func TestScaleOfColoursEndsAtMost(t *testing.T) {
	capped, open := ratios(50, 1, 5, 10_000), ratios(0, 1, 5, 10_000)
	require.True(t, capped.Prepare())
	require.True(t, open.Prepare())
	share := func(f *Figure, v float64) float64 {
		s := &f.Heat.Panels[0].scale
		at, ok := s.pos(v)
		require.True(t, ok)
		return (at - s.lo) / (s.hi - s.lo)
	}
	require.Greater(t, share(capped, 5)-share(capped, 1), 2*(share(open, 5)-share(open, 1)))
	require.GreaterOrEqual(t, share(capped, 50), 0.999)
}

// Explanations stand above the footer, and below all else.
func TestExplanationsStandAboveTheFooter(t *testing.T) {
	f := ratios(0, 1, 2)
	f.Footer, f.Words = "where it is from", []string{"insert: one", "pair: another"}
	_, at := drawn(t, f)
	require.Greater(t, at["insert: one. pair: another."].Y, at["where it is from"].Y)
	require.Less(t, at["insert: one. pair: another."].Y, at["one"].Y)
}

// The key has each entry once, in lines no wider than there is room, and a place for each line.
func TestAKeyBreaksIntoLines(t *testing.T) {
	h := &Heat{}
	for _, text := range []string{"a few words", "a few words more", "and a third entry"} {
		h.Swatches = append(h.Swatches, Swatch{Text: text})
	}
	wide := h.keys()[0].width() + h.keys()[1].width()
	require.Len(t, h.keyLines(10*wide), 1)
	lines := h.keyLines(wide)
	require.Len(t, lines, 2)
	require.Equal(t, h.keys(), slices.Concat(lines...))
	require.Len(t, h.keyLines(1), 3, "an entry that is too wide has a line of its own")
	_, one := h.room(10 * wide)
	_, two := h.room(wide)
	require.Equal(t, vg.Points(heatKeyLine), two-one)
}

// A cell may have colours of its own, and a second line.
func TestCellsMayHaveColoursOfTheirOwn(t *testing.T) {
	one, two := RGB(0x0072B2), RGB(0xD55E00)
	f := &Figure{Named: true, Width: 400, Height: 300, Heat: &Heat{
		Rows: []string{"few"}, Notes: []string{""}, Corner: "how many", Swatches: []Swatch{{Fills: []color.NRGBA{one}, Text: "one leads"}},
		Panels: []*HeatPanel{{Columns: []string{"near", "far"}, Cells: [][]HeatCell{{
			{Text: "this", Below: "1.5×", Fills: []color.NRGBA{one}},
			{Text: "this / that", Below: "1.1×", Fills: []color.NRGBA{one, two}},
		}}}},
	}}
	texts, at := drawn(t, f)
	require.ElementsMatch(t, []string{"few", "how many", "near", "far", "this", "1.5×", "this / that", "1.1×", "one leads"}, texts)
	require.Greater(t, at["this"].Y, at["1.5×"].Y, "the second line is below")

	filled := charttest.Fills(f.Draw, f.Width, f.Height)
	require.Equal(t, 3, filled[one], "two cells, and the explanation")
	require.Equal(t, 1, filled[two])
}

// Text is legible on every colour of the sequence, and the colours grow darker all the way.
func TestThePaletteIsLegible(t *testing.T) {
	last := math.Inf(1)
	for i := range 101 {
		c := shade(float64(i) / 100)
		require.LessOrEqual(t, luminance(c), last, "shade %d is brighter than the one before", i)
		last = luminance(c)
		require.GreaterOrEqual(t, contrast(c, inkOn(c)), 4.5, "at %d %%", i)
	}
	require.Equal(t, []color.NRGBA{shade(0), shade(1)}, []color.NRGBA{shade(-1), shade(2)}, "beyond the ends")
}

func contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
