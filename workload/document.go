package workload

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
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

// profileText is a document with its text.
type profileText struct {
	document
	file string
	text []byte
	err  error // the first one
}

// check notes an error at the line of a path, or else of its table, unless something holds or there is an error already.
func (s *profileText) check(holds bool, path, format string, args ...any) {
	if !holds && s.err == nil {
		s.err = &ParseError{s.file, s.line(path), path + ": " + fmt.Sprintf(format, args...)}
	}
}

// place matches the brackets and the path of a table, or the key of a value, at the beginning of a line.
var place = regexp.MustCompile(`^\s*(\[*)([\w.]+)(?:\]|\s*=)`)

// line returns the line of a path such as timers[0].cancel.after, or else of its table, or else 1.
func (s *profileText) line(path string) int {
	line, longest, table, blocks := 1, "", "", 0
	for i, text := range strings.Split(string(s.text), "\n") {
		m := place.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		at := table + m[2]
		if m[1] != "" {
			blocks += len(m[1]) / 2
			at = strings.Replace(m[2], "timers", fmt.Sprintf("timers[%d]", blocks-1), 1)
			table = at + "."
		}
		if strings.HasPrefix(path+".", at+".") && len(at) > len(longest) {
			line, longest = i+1, at
		}
	}
	return line
}

func parent(path string) string { return path[:max(strings.LastIndexByte(path, '.'), 0)] }

// readDocument reads TOML. An unknown key is an error.
func readDocument(text []byte, file string) (*profileText, error) {
	s := &profileText{file: file, text: text}
	decoder := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	if err := decoder.Decode(&s.document); err != nil {
		return nil, located(err, text, file)
	}
	return s, nil
}
