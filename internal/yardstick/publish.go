package main

import (
	"bytes"
	_ "embed" // for the template
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"schedbench/harness/rundata"
	"schedbench/judge"
	"schedbench/report/text"
)

// The files of a folder of results.
const (
	dataFile   = "yardstick.bench" // what each process showed
	readmeFile = "README.md"       // has a section that is written anew
)

// publish writes what was measured, and what it comes to, into a folder of results.
func (f findings) publish(dir string) error {
	path := filepath.Join(dir, readmeFile)
	readme, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var data, section bytes.Buffer
	f.writeData(&data, rundata.Environment())
	if err := f.writeSection(&section); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, dataFile), data.Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(path, replaceSection(readme, section.Bytes()), 0o644)
}

// writeData writes every process as a line of benchfmt, which benchstat reads: each is
// the median of its laps.
func (f findings) writeData(w io.Writer, env []rundata.Param) {
	for _, p := range env {
		fmt.Fprintf(w, "# %s: %s\n", p.Key, p.Value)
	}
	fmt.Fprintf(w, "# measured-on: %s\n", f.about)
	for _, r := range f.rows {
		for _, side := range []struct {
			name string
			of   []shown
		}{{r.c, r.inC}, {r.scheduler, r.inGo}} {
			impl := strings.ReplaceAll(strings.ReplaceAll(side.name, ",", ""), " ", "-")
			for _, s := range side.of {
				fmt.Fprintf(w, "BenchmarkYardstick/op=%s/pending=%d/impl=%s 1 %.6g ns/op %.6g loop-ns/op\n", r.op, r.pending, impl, s.with, s.alone)
			}
		}
	}
}

//go:embed section.tmpl
var sectionText string

// writeSection writes the section of the README.
func (f findings) writeSection(w io.Writer) error {
	var tables bytes.Buffer
	all := f.compare()
	p := &text.Page{W: &tables}
	f.tables(p, all)
	if p.Err != nil {
		return p.Err
	}
	return template.Must(template.New("section").Parse(sectionText)).Execute(w, map[string]any{
		"About": f.about, "Tables": strings.TrimSpace(tables.String()), "Sentences": sentences(all), "Data": dataFile,
		"Confidence": fmt.Sprintf("%.0f %%", 100*judge.Confidence),
	})
}

// sectionHeading begins the section.
const sectionHeading = "## How far from the metal\n"

var nextHeading = regexp.MustCompile(`(?m)^##? `)

// replaceSection puts a section in place of the one that begins with the same heading, or
// at the end if there is none.
func replaceSection(readme, section []byte) []byte {
	begin := bytes.Index(readme, []byte(sectionHeading))
	if begin < 0 {
		return bytes.Join([][]byte{bytes.TrimRight(readme, "\n"), []byte("\n\n"), section}, nil)
	}
	rest := readme[begin+len(sectionHeading):]
	if next := nextHeading.FindIndex(rest); next != nil {
		return bytes.Join([][]byte{readme[:begin], section, []byte("\n"), rest[next[0]:]}, nil)
	}
	return bytes.Join([][]byte{readme[:begin], section}, nil)
}
