package workload

import (
	"fmt"
	"strings"
)

// Limits of an expression.
const (
	maxExprText  = 1 << 16
	maxExprDepth = 8
	maxExprParts = 1024 // words in all
)

// expr is a word, such as 20ms, or a call, such as uniform(1s, 2s).
type expr struct {
	word string
	call bool
	args []arg
}

// arg is an argument of a call. Before its value may stand a key, as in p50=20ms,
// or a weight, as in 3: 20ms.
type arg struct {
	key, weight string
	value       expr
	used        bool
}

// parseExpr reads an expression:
//
//	expr = word | word "(" [ arg { "," arg } ] ")"
//	arg  = [ word "=" | word ":" ] expr
func parseExpr(text string) (expr, error) {
	if len(text) > maxExprText {
		return expr{}, fmt.Errorf("%d bytes long, at most %d are allowed", len(text), maxExprText)
	}
	p := exprParser{rest: text}
	e, err := p.expr(1)
	if err != nil {
		return expr{}, err
	}
	if p.skip(); p.rest != "" {
		return expr{}, fmt.Errorf("%q is left over", p.rest)
	}
	return e, nil
}

type exprParser struct {
	rest  string
	parts int
}

func (p *exprParser) skip() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// accept skips space, and c if it comes next.
func (p *exprParser) accept(c byte) bool {
	p.skip()
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// word reads what stands before the next space or mark.
func (p *exprParser) word() (string, error) {
	p.skip()
	end := strings.IndexAny(p.rest, " \t\r\n(),=:")
	if end < 0 {
		end = len(p.rest)
	}
	if end == 0 {
		if p.rest == "" {
			return "", fmt.Errorf("ends where a name or a value is due")
		}
		return "", fmt.Errorf("a name or a value is due before %q", p.rest)
	}
	if p.parts++; p.parts > maxExprParts {
		return "", fmt.Errorf("more than %d names and values", maxExprParts)
	}
	w := p.rest[:end]
	p.rest = p.rest[end:]
	return w, nil
}

func (p *exprParser) expr(depth int) (expr, error) {
	w, err := p.word()
	if err != nil {
		return expr{}, err
	}
	return p.afterWord(w, depth)
}

// afterWord reads the arguments of w, if it has some.
func (p *exprParser) afterWord(w string, depth int) (expr, error) {
	e := expr{word: w}
	if !p.accept('(') {
		return e, nil
	}
	if depth > maxExprDepth {
		return expr{}, fmt.Errorf("more than %d levels of parentheses", maxExprDepth)
	}
	e.call = true
	if p.accept(')') {
		return e, nil
	}
	for {
		a, err := p.arg(depth + 1)
		if err != nil {
			return expr{}, err
		}
		e.args = append(e.args, a)
		switch {
		case p.accept(')'):
			return e, nil
		case !p.accept(','):
			return expr{}, fmt.Errorf("%s: a comma or a closing parenthesis is due before %q", w, p.rest)
		}
	}
}

func (p *exprParser) arg(depth int) (a arg, err error) {
	w, err := p.word()
	if err != nil {
		return arg{}, err
	}
	switch {
	case p.accept('='):
		a.key = w
		a.value, err = p.expr(depth)
	case p.accept(':'):
		a.weight = w
		a.value, err = p.expr(depth)
	default:
		a.value, err = p.afterWord(w, depth)
	}
	return a, err
}
