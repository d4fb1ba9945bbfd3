package report

import (
	"fmt"
	"strings"

	"schedbench/internal/report/chart"
	"schedbench/internal/words"
)

// Sign says on a figure what a run was made on, and how to make it again, by its
// environment.
func Sign(f *chart.Figure, env map[string]string, complete bool) {
	f.Subtitle, f.Footer = words.Sentences(f.Subtitle, Machine(env)), provenance(env, complete)
}

// Machine says what a run was made on, by its environment.
func Machine(env map[string]string) string {
	var parts []string
	add := func(format, key string) {
		if env[key] != "" {
			parts = append(parts, fmt.Sprintf(format, env[key]))
		}
	}
	add("%s", "cpu")
	add("GOMAXPROCS %s", "gomaxprocs")
	if env["goos"] != "" && env["goarch"] != "" {
		parts = append(parts, env["goos"]+"/"+env["goarch"])
	}
	add("kernel %s", "kernel")
	return strings.Join(parts, ", ")
}

// provenance says how to make the same run again.
func provenance(env map[string]string, complete bool) string {
	parts := []string{"schedbench"}
	for _, key := range []string{"commit", "seed", "date"} {
		if env[key] != "" {
			parts = append(parts, key+" "+env[key])
		}
	}
	for _, key := range []string{"go-version", "command"} {
		if env[key] != "" {
			parts = append(parts, env[key])
		}
	}
	if !complete {
		parts = append(parts, "run not complete")
	}
	return strings.Join(parts, "  ·  ")
}
