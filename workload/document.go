package workload

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// ParseError says what is wrong with a profile, and where.
type ParseError struct {
	File string
	Line int // from 1 on
	Msg  string
}

// Error returns file:line: message.
func (e *ParseError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// document is a profile as its file has it: everything is text. A later step interprets it, with the line at
// hand for errors.
type document struct {
	Name, About, Source string
	Choices             []string
	Length, Tick        string
	Timers              []timersBlock
}

type timersBlock struct {
	Name, Arrivals, Delay, Period, Initial string
	Cancel, Reset                          *endingBlock
	Backoff                                *backoffBlock
}

type endingBlock struct {
	Share, After string
	Times        int
}

type backoffBlock struct {
	Factor     float64
	Max, Again string
}

// profileText is a document with the lines of its keys.
type profileText struct {
	document
	file  string
	lines map[string]int // by path, as timers[0].cancel.after
	err   error          // what is wrong with it first
}

// check notes an error at the line of a path, or else of what contains it, unless
// something holds or there is an error already.
func (s *profileText) check(holds bool, path, format string, args ...any) {
	if holds || s.err != nil {
		return
	}
	line := 1
	for at := path; at != ""; at = parent(at) {
		if l, ok := s.lines[at]; ok {
			line = l
			break
		}
	}
	s.err = &ParseError{s.file, line, path + ": " + fmt.Sprintf(format, args...)}
}

func parent(path string) string { return path[:max(strings.LastIndexByte(path, '.'), 0)] }

// readDocument reads TOML; a key that means nothing is an error.
func readDocument(text []byte, file string) (*profileText, error) {
	s := &profileText{file: file, lines: map[string]int{}}
	decoder := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	if err := decoder.Decode(&s.document); err != nil {
		return nil, located(err, text, file)
	}
	s.findLines(text)
	return s, nil
}

// findLines notes the line of every key. The decoder has found no error.
func (s *profileText) findLines(text []byte) {
	var p unstable.Parser
	p.Reset(text)
	f := lineFinder{text: text, line: 1, lines: s.lines, blocks: map[string]int{}}
	table := ""
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.ArrayTable, unstable.Table:
			table = f.note(e.Key(), "", e.Kind == unstable.ArrayTable)
		case unstable.KeyValue:
			f.keyValue(e, table)
		}
	}
}

// lineFinder counts lines while keys come one after the other.
type lineFinder struct {
	text   []byte
	offset int
	line   int
	lines  map[string]int
	blocks map[string]int // how many blocks of an array have begun
}

func (f *lineFinder) lineOf(n *unstable.Node) int {
	to := max(int(n.Raw.Offset), f.offset)
	f.line += bytes.Count(f.text[f.offset:to], []byte("\n"))
	f.offset = to
	return f.line
}

// note notes the line of a key, and returns its path within a table. In a new block
// of an array it is the path of the block.
func (f *lineFinder) note(keys unstable.Iterator, path string, array bool) string {
	line := f.line
	for keys.Next() {
		path = join(path, string(keys.Node().Data))
		line = f.lineOf(keys.Node())
		if keys.IsLast() && array {
			f.blocks[path]++
		}
		if n := f.blocks[path]; n > 0 {
			path = fmt.Sprintf("%s[%d]", path, n-1)
		}
	}
	f.lines[path] = line
	return path
}

// keyValue notes a key, and those of the table that may be its value.
func (f *lineFinder) keyValue(e *unstable.Node, path string) {
	path = f.note(e.Key(), path, false)
	if e.Value().Kind == unstable.InlineTable {
		for children := e.Value().Children(); children.Next(); {
			f.keyValue(children.Node(), path)
		}
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
