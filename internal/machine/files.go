// Package machine reads what Linux says of the machine and of the limits of the process.
package machine

import (
	"os"
	"strings"
)

// Line returns the first line of a file, or "" if it cannot be read.
func Line(path string) string {
	text, _ := os.ReadFile(path)
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(first)
}

// Field returns the value of a "key : value" line of a file, or "".
func Field(path, key string) string { return valueOf(path, key, ":") }

// valueOf returns what is after a key and a mark in a line of a file, or "".
func valueOf(path, key, mark string) string {
	text, _ := os.ReadFile(path)
	for l := range strings.Lines(string(text)) {
		if k, v, ok := strings.Cut(l, mark); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
