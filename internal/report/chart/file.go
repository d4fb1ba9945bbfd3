package chart

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"schedbench/internal/lists"
	"schedbench/internal/words"
)

const resolution = 192 // of PNG files, in dots per inch, for which a figure says none

// SaveAll writes figures that are prepared into a directory, which it makes if need be, each as PNG, and returns the names
// of the files. All processors draw.
func SaveAll(figures []*Figure, dir string) (names []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	errs, drawing := make([]error, len(figures)), make(chan bool, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i, f := range figures {
		name := f.Name + ".png"
		names = append(names, name)
		drawing <- true
		all.Go(func() {
			if err := f.save(filepath.Join(dir, name)); err != nil {
				errs[i] = fmt.Errorf("chart %s: %w", name, err)
			}
			<-drawing
		})
	}
	all.Wait()
	return names, errors.Join(errs...)
}

func (f *Figure) save(name string) error {
	c := vgimg.NewWith(vgimg.UseWH(f.Width, f.Height), vgimg.UseDPI(cmp.Or(f.DPI, resolution)))
	f.Draw(draw.New(c))
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(file, withPalette(c.Image().(*image.RGBA))), file.Close()) // as NewWith makes it
}

// Inches of a figure's side.
func Inches(n float64) vg.Length { return vg.Length(n) * vg.Inch }

// Inlined is a figure as SVG elements of a page. The page writes title, subtitle and legend, and arranges the panels.
//
// The elements contain no fonts, which would take 25 times the size of a drawing: the page names one as wide as Liberation
// Sans for them, such as Arial or Helvetica. Their y axis points up: the page turns texts with "transform: scale(1, -1)".
type Inlined struct {
	Keys   []Key
	Panels []Drawing
}

// Key is an entry of a legend: a sample of a line, as an element, and its name.
type Key struct{ Sample, Name string }

// Drawing is an SVG element, and how many pixels it is wide when its letters have their size.
type Drawing struct {
	SVG   string
	Width int
}

// The sizes of panels on a page, in points: alone, alone with the names of a crowd of lines, and among others.
const (
	crowd                     = 10
	crowdWidth, crowdHeight   = 560, 290
	aloneWidth, aloneHeight   = 320, 225
	besideWidth, besideHeight = 250, 172
)

// Inline returns a prepared figure as elements. alt describes it to those who do not see it.
func (f *Figure) Inline(alt string) (in Inlined) {
	panel := func(width, height vg.Length, alt string, paint func(draw.Canvas)) {
		in.Panels = append(in.Panels, Drawing{element(width, height, alt, paint), int(width / vg.Inch * 96)})
	}
	key := func(width, height float64, name string, paint func(draw.Canvas)) {
		in.Keys = append(in.Keys, Key{element(vg.Points(width), vg.Points(height), "", paint), name})
	}
	if f.Heat != nil {
		cell := f.Heat.cellWidth(f.Width)
		for _, h := range f.Heat.apart() {
			head, below := h.room(0)
			width := h.nameWidth() + cell*vg.Length(len(h.Panels[0].Columns)) + vg.Points(4)
			panel(width, head+below+vg.Points(24)*vg.Length(len(h.Rows))+vg.Points(8), words.Sentences(alt, h.Panels[0].Title), h.draw)
		}
		for _, k := range f.Heat.keys() {
			key(28, 14, k.Text, func(c draw.Canvas) { k.draw(c, c.Rectangle) })
		}
		return in
	}
	panels := f.panels()
	width, height, named := vg.Points(besideWidth), vg.Points(besideHeight), false
	if len(panels) == 1 {
		width, height, named = vg.Points(aloneWidth), vg.Points(aloneHeight), f.Named
		if beside := lists.Only(panels[0].Lines, func(l Line) bool { return len(l.Captions) == 0 }); named && len(beside) > crowd {
			width, height = vg.Points(crowdWidth), vg.Points(crowdHeight)
		}
	}
	for _, p := range panels {
		plain := *p
		plain.X.plain, plain.Y.plain = true, true
		of := Figure{Rows: [][]*Panel{{&plain}}, Named: named}
		panel(width, height, words.Sentences(alt, p.Title), of.body)
	}
	for _, l := range f.legendLines() {
		if !named {
			key(sampleWidth, 10, l.Name, func(c draw.Canvas) { entry(c, vg.Point{X: c.Min.X, Y: c.Center().Y}, marginLabel{style: &l.Style}) })
		}
	}
	return in
}

// element draws an SVG element. One without a description is for those who see it only.
func element(width, height vg.Length, alt string, paint func(draw.Canvas)) string {
	c := vgsvg.NewWith(vgsvg.UseWH(width, height), vgsvg.EmbedFonts(false))
	paint(draw.Crop(draw.New(c), vg.Points(2), -vg.Points(2), vg.Points(2), -vg.Points(2)))
	var b strings.Builder
	_, _ = c.WriteTo(&b) // which does not fail
	_, drawing, _ := strings.Cut(b.String(), "<svg ")
	is := `<svg aria-hidden="true" `
	if alt != "" {
		is = fmt.Sprintf(`<svg role="img" aria-label="%s" `, html.EscapeString(alt))
	}
	return is + rounded(usual.Replace(drawing))
}

// usual removes what goes without saying.
var usual = strings.NewReplacer(
	"font-family:Liberation Sans;", "", "font-variant:normal;", "", "font-weight:normal;", "", "font-style:normal;", "",
	"\n\txmlns=\"http://www.w3.org/2000/svg\"", "", "\n\txmlns:xlink=\"http://www.w3.org/1999/xlink\"", "", " transform=\"scale(1, -1)\"\n\tstyle=", " style=",
	"\n\tstyle=", " style=", `" />`, `"/>`,
)

var (
	places    = regexp.MustCompile(` (?:d|x|y)="[^"]*"`)
	fractions = regexp.MustCompile(`\d+\.\d+`)
)

// rounded leaves places one digit after the point: no eye sees a tenth of a point.
func rounded(svg string) string {
	return places.ReplaceAllStringFunc(svg, func(place string) string {
		return fractions.ReplaceAllStringFunc(place, func(number string) string {
			v, _ := strconv.ParseFloat(number, 64)
			return strconv.FormatFloat(float64(int(v*10+0.5))/10, 'f', -1, 64)
		})
	})
}
