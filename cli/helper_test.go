package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// outcome is what a command line came to.
type outcome struct {
	status   int
	out, err string
}

// bench runs a command line.
func bench(t *testing.T, args ...string) outcome {
	t.Helper()
	return byProgram(t, Program{}, "", args...)
}

// benchUntil runs a command line and interrupts it when it writes text to its
// error output.
func benchUntil(t *testing.T, text string, args ...string) outcome {
	t.Helper()
	return byProgram(t, Program{}, text, args...)
}

// byProgram is benchUntil for a program. Without a text it goes on to its end.
func byProgram(t *testing.T, p Program, text string, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p.rough = true
	var out bytes.Buffer
	err := &trap{text: text, spring: cancel}
	status := p.run(ctx, args, &out, err)
	return outcome{status, out.String(), err.String()}
}

// trap calls spring when a text is written to it, if there is any.
type trap struct {
	bytes.Buffer
	text   string
	spring func()
}

func (w *trap) Write(p []byte) (int, error) {
	if w.text != "" && strings.Contains(string(p), w.text) {
		w.spring()
	}
	return w.Buffer.Write(p)
}
