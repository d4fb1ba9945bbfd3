package chart

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// resolution of PNG files for which a figure says none.
const resolution = 192

// SaveAll writes figures that are prepared into a directory, which it makes if need be, each as PNG and as SVG if asked
// for, and returns the names of the files. All processors draw.
func SaveAll(figures []*Figure, dir string, svg bool) (names []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	var contents []func(io.Writer) error
	for _, f := range figures {
		names, contents = append(names, f.Name+".png"), append(contents, f.png)
		if svg {
			names, contents = append(names, f.Name+".svg"), append(contents, f.svg)
		}
	}
	errs := make([]error, len(names))
	var all sync.WaitGroup
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(names); i = int(next.Add(1)) - 1 {
				if err := write(filepath.Join(dir, names[i]), contents[i]); err != nil {
					errs[i] = fmt.Errorf("chart %s: %w", names[i], err)
				}
			}
		})
	}
	all.Wait()
	return names, errors.Join(errs...)
}

// SaveIfAny is SaveAll for a figure that may have nothing to show.
func SaveIfAny(f *Figure, dir string, svg bool) ([]string, error) {
	if !f.Prepare() {
		return nil, nil
	}
	return SaveAll([]*Figure{f}, dir, svg)
}

func (f *Figure) png(w io.Writer) error {
	c := vgimg.NewWith(vgimg.UseWH(f.Width, f.Height), vgimg.UseDPI(cmp.Or(f.DPI, resolution)))
	f.Draw(draw.New(c))
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
	return err
}

// svg embeds its fonts, because text would overflow in any other.
func (f *Figure) svg(w io.Writer) error {
	c := vgsvg.NewWith(vgsvg.UseWH(f.Width, f.Height), vgsvg.EmbedFonts(true))
	f.Draw(draw.New(c))
	_, err := c.WriteTo(w)
	return err
}

func write(name string, content func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(content(file), file.Close())
}

// Inches of a figure's side.
func Inches(n float64) vg.Length { return vg.Length(n) * vg.Inch }
