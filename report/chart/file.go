package chart

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// resolution of the PNG files, in dots per inch.
const resolution = 192

// Save writes the figure into a directory, as PNG and as SVG if asked for.
func (f *Figure) Save(dir string, svg bool) ([]string, error) {
	if err := write(filepath.Join(dir, f.Name+".png"), f.png); err != nil {
		return nil, err
	}
	if !svg {
		return []string{f.Name + ".png"}, nil
	}
	err := write(filepath.Join(dir, f.Name+".svg"), f.svg)
	return []string{f.Name + ".png", f.Name + ".svg"}, err
}

func (f *Figure) png(w io.Writer) error {
	c := vgimg.NewWith(vgimg.UseWH(f.Width, f.Height), vgimg.UseDPI(resolution))
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

// write makes a file.
func write(name string, content func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(content(file), file.Close())
}

// Inches of a figure's side.
func Inches(n float64) vg.Length { return vg.Length(n) * vg.Inch }
