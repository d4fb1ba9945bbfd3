package text

import (
	"regexp"
	"strings"
)

// commands are where a text names bench as what a user types: where a line begins, after a colon, or in quotes. The word alone in quotes is what a user typed.
var commands = regexp.MustCompile(`(?m)(^|["(]|[:;] )bench( |$)`)

// Called returns a text whose commands call the program by another name than bench: "" is no other.
func Called(s, program string) string {
	if program == "" {
		return s
	}
	return commands.ReplaceAllString(s, "${1}"+strings.ReplaceAll(program, "$", "$$")+"${2}")
}
