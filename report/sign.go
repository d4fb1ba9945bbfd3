package report

import (
	"fmt"
	"strings"

	"schedbench/internal/words"
	"schedbench/report/chart"
)

// sign says on a figure what the run was made on, and how to make it again.
func (v *view) sign(f *chart.Figure) {
	f.Subtitle, f.Footer = words.Sentences(f.Subtitle, v.machine()), v.provenance()
}

// machine says what the run was made on.
func (v *view) machine() string {
	env := v.data.Env
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
func (v *view) provenance() string {
	env := v.data.Env
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
	if !v.data.Complete {
		parts = append(parts, "run not complete")
	}
	return strings.Join(parts, "  ·  ")
}
