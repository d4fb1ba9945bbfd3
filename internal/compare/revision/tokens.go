package revision

import (
	"context"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// onlyComments reports whether a file of Go differs between a commit and the working tree by comments and white space only.
func (c Checkout) onlyComments(ctx context.Context, commit, name string) bool {
	if filepath.Ext(name) != ".go" {
		return false
	}
	was, err := c.git(ctx, "show", commit+":./"+name)
	if err != nil { // the commit lacks it
		return false
	}
	is, err := os.ReadFile(filepath.Join(c.root, name))
	return err == nil && sameCode(was, string(is))
}

// sameCode reports whether two files of Go have the same tokens. Directives count, and in a file with C all comments.
func sameCode(a, b string) bool {
	tokensA, okA := tokens(a)
	tokensB, okB := tokens(b)
	return okA && okB && slices.Equal(tokensA, tokensB)
}

// tokens returns those of a file, and whether all of it is known: a file that is no Go or holds C is not.
func tokens(file string) (list []string, known bool) {
	var s scanner.Scanner
	known = true
	s.Init(token.NewFileSet().AddFile("", -1, len(file)), []byte(file), func(token.Position, string) { known = false }, scanner.ScanComments)
	for {
		_, tok, literal := s.Scan()
		switch {
		case tok == token.EOF:
			return list, known
		case tok == token.SEMICOLON: // written, or the end of a line
			literal = ""
		case tok == token.COMMENT && !strings.HasPrefix(literal, "//go:") && !strings.HasPrefix(literal, "//line ") && !strings.HasPrefix(literal, "/*line "):
			continue
		case tok == token.STRING && literal == `"C"`:
			known = false
		}
		list = append(list, tok.String()+literal)
	}
}
