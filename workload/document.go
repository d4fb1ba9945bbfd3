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

// document is a profile as its file has it: text. A later step interprets it, and knows the line for errors.
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

// profileText is a document with the places of its keys.
type profileText struct {
	document
	file   string
	text   []byte
	places map[string]int // in the text, by path, as timers[0].cancel.after
	blocks map[string]int // how many blocks of an array there are, by its path
	err    error          // the first one
}

// check notes an error at the line of a path, or else of its table, unless something holds or there is an error already.
func (s *profileText) check(holds bool, path, format string, args ...any) {
	if holds || s.err != nil {
		return
	}
	at := path
	for at != "" && s.places[at] == 0 {
		at = parent(at)
	}
	line := 1 + bytes.Count(s.text[:s.places[at]], []byte("\n"))
	s.err = &ParseError{s.file, line, path + ": " + fmt.Sprintf(format, args...)}
}

func parent(path string) string { return path[:max(strings.LastIndexByte(path, '.'), 0)] }

// readDocument reads TOML, and notes the place of every key. An unknown key is an error.
func readDocument(text []byte, file string) (*profileText, error) {
	s := &profileText{file: file, text: text, places: map[string]int{}, blocks: map[string]int{}}
	decoder := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	if err := decoder.Decode(&s.document); err != nil {
		return nil, located(err, text, file)
	}
	var p unstable.Parser
	p.Reset(text)
	table := ""
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.ArrayTable, unstable.Table:
			table = s.note(e.Key(), "", e.Kind == unstable.ArrayTable)
		case unstable.KeyValue:
			s.keyValue(e, table)
		}
	}
	return s, nil
}

// note notes the place of a key, and returns its path: within a table, or within a new block of an array.
func (s *profileText) note(keys unstable.Iterator, path string, array bool) string {
	place := 0
	for keys.Next() {
		path = strings.TrimPrefix(path+"."+string(keys.Node().Data), ".")
		place = int(keys.Node().Raw.Offset)
		if keys.IsLast() && array {
			s.blocks[path]++
		}
		if n := s.blocks[path]; n > 0 {
			path = fmt.Sprintf("%s[%d]", path, n-1)
		}
	}
	s.places[path] = place
	return path
}

// keyValue notes a key, and those of the table that may be its value.
func (s *profileText) keyValue(e *unstable.Node, path string) {
	path = s.note(e.Key(), path, false)
	if e.Value().Kind == unstable.InlineTable {
		for children := e.Value().Children(); children.Next(); {
			s.keyValue(children.Node(), path)
		}
	}
}
