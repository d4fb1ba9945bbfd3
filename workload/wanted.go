package workload

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// wanted says which value each key of a profile takes, by the key's table: text with an example, or something else.
var wanted = map[string]map[string]string{
	"": {
		"name": `text such as "my-workload"`, "about": `text such as "What my program does."`, "source": `text such as "a trace of June"`,
		"choices": `texts such as ["100 connections"]`, "length": `text such as "10s"`, "tick": `text such as "1ms"`, "timers": "blocks that begin with [[timers]]",
	},
	"timers": {
		"name": `text such as "requests"`, "arrivals": `text such as "poisson(100/s)"`, "delay": `text such as "30s"`, "period": `text such as "500ms"`,
		"initial": `text such as "50k"`, "cancel": `a table such as { share = "90%", after = "uniform(0%, 100%)" }`,
		"reset": `a table such as { share = "90%", after = "10s" }`, "backoff": `a table such as { factor = 2, max = "2m", again = "50%" }`,
	},
	"timers.cancel":  {"share": `text such as "90%"`, "after": `text such as "uniform(0%, 100%)"`, "times": "nothing: a timer is cancelled once"},
	"timers.reset":   {"share": `text such as "90%"`, "after": `text such as "10s"`, "times": "a whole number such as 3"},
	"timers.backoff": {"factor": "a number such as 2", "max": `text such as "2m"`, "again": `text such as "50%"`},
}

// located makes an error of the decoder begin with its place, and say what is wanted there.
func located(err error, text []byte, file string) error {
	var unknown *toml.StrictMissingError
	var bad *toml.DecodeError
	switch {
	case errors.As(err, &unknown) && len(unknown.Errors) > 0:
		first := &unknown.Errors[0]
		line, _ := first.Position()
		key := strings.Join(first.Key(), ".")
		said := "unknown key " + key
		if keys := slices.Sorted(maps.Keys(wanted[parent(key)])); len(keys) > 0 {
			said += "; want one of " + strings.Join(keys, ", ")
		}
		return &ParseError{file, line, said}
	case errors.As(err, &bad):
		line, _ := bad.Position()
		return &ParseError{file, line, misfit(bad, valueAt(text, line))}
	}
	return &ParseError{file, 1, err.Error()}
}

// misfit says what is wrong with a value, and what is wanted in its place, if it is of the wrong kind.
func misfit(bad *toml.DecodeError, value string) string {
	key := strings.Join(bad.Key(), ".")
	want := wanted[parent(key)][key[strings.LastIndexByte(key, '.')+1:]]
	if want != "" && strings.Contains(bad.Error(), "cannot decode") {
		return fmt.Sprintf("%s: found %s, want %s", key, value, want)
	}
	return strings.TrimPrefix(bad.Error(), "toml: ")
}

// valueAt returns the value of the key in a line of a text, from 1 on, as it is written.
func valueAt(text []byte, line int) string {
	_, value, _ := strings.Cut(strings.Split(string(text), "\n")[line-1], "=")
	return cmp.Or(strings.TrimSpace(value), "it")
}
