package workload

import (
	"fmt"
	"strings"
)

const (
	maxExprDepth = 8
	maxExprParts = 1024 // words in all
)

// expr is a word, such as 20ms, or a call, such as uniform(1s, 2s).
type expr struct {
	word string
	call bool
	args []arg
}

// arg is an argument of a call. Before its value may stand a key, as in p50=20ms, or a weight, as in 3: 20ms.
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
	p := exprParser{rest: text}
	e, err := p.expr(1)
	if p.skip(); err == nil && p.rest != "" {
		err = fmt.Errorf("%q is left over", p.rest)
	}
	return e, err
}

type exprParser struct {
	rest  string
	parts int
}

func (p *exprParser) skip() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// accept skips space, and a mark if it comes next.
func (p *exprParser) accept(mark string) (found bool) {
	p.skip()
	p.rest, found = strings.CutPrefix(p.rest, mark)
	return found
}

// word reads what stands before the next space or mark.
func (p *exprParser) word() (string, error) {
	p.skip()
	end := strings.IndexAny(p.rest, " \t\r\n(),=:")
	if end < 0 {
		end = len(p.rest)
	}
	p.parts++
	switch {
	case p.rest == "":
		return "", fmt.Errorf("ends where a name or a value is due")
	case end == 0:
		return "", fmt.Errorf("a name or a value is due before %q", p.rest)
	case p.parts > maxExprParts:
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
	e := expr{word: w, call: p.accept("(")}
	switch {
	case !e.call:
		return e, nil
	case depth > maxExprDepth:
		return e, fmt.Errorf("more than %d levels of parentheses", maxExprDepth)
	case p.accept(")"):
		return e, nil
	}
	for {
		a, err := p.arg(depth + 1)
		if err != nil {
			return e, err
		}
		e.args = append(e.args, a)
		switch {
		case p.accept(")"):
			return e, nil
		case !p.accept(","):
			return e, fmt.Errorf("%s: a comma or a closing parenthesis is due before %q", w, p.rest)
		}
	}
}

func (p *exprParser) arg(depth int) (a arg, err error) {
	a.value, err = p.expr(depth)
	switch first := a.value; {
	case err != nil || first.call:
		return a, err
	case p.accept("="):
		a.key = first.word
	case p.accept(":"):
		a.weight = first.word
	default:
		return a, nil
	}
	a.value, err = p.expr(depth)
	return a, err
}

// call is a call whose arguments are taken one by one. err is the first fault; values taken after it mean nothing.
type call struct {
	name string
	args []arg
	err  error
}

// check notes an error unless something holds, or there is one already.
func (c *call) check(holds bool, format string, args ...any) {
	if !holds && c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// take returns the argument with the key, or else the one at the position among arguments without a key.
func (c *call) take(key string, position int) (expr, bool) {
	plain := 0
	for i := range c.args {
		a := &c.args[i]
		here := a.key == key || a.key == "" && plain == position
		if here && a.weight == "" && !a.used {
			a.used = true
			return a.value, true
		}
		if a.key == "" {
			plain++
		}
	}
	return expr{}, false
}

// takeAs is take for the word of an argument that must be there, read by parse.
func takeAs[T any](c *call, key string, position int, missing string, parse func(string) (T, error)) (x T) {
	e, ok := c.take(key, position)
	if c.check(ok, "%s", missing); c.err == nil {
		x, c.err = parse(e.word)
	}
	return x
}

// weighted takes all arguments without a key, and their weights. Without weights all have the same. read reads a value.
func weighted[T any](c *call, read func(expr) (T, error)) (values []T, weights []float64) {
	var exprs []expr
	for i, a := range c.args {
		if a.key != "" || c.err != nil {
			continue
		}
		w := 1.0
		if a.weight != "" {
			w, c.err = parseWeight(a.weight)
		}
		c.check((a.weight == "") == (c.args[0].weight == ""), "give all of them a weight, or none")
		c.args[i].used = true
		exprs, weights = append(exprs, a.value), append(weights, w)
	}
	c.check(len(exprs) > 0, "nothing to choose from")
	c.end()
	for _, e := range exprs {
		var v T
		if c.err == nil {
			v, c.err = read(e)
		}
		values = append(values, v)
	}
	return values, weights
}

// end refuses the arguments that were not taken.
func (c *call) end() {
	for _, a := range c.args {
		switch {
		case a.used:
		case a.key != "":
			c.check(false, "%s= is unknown here, or given twice", a.key)
		case a.weight != "":
			c.check(false, "%s: is a weight, which has no place here", a.weight)
		default:
			c.check(false, "%s is one argument too many", a.value.word)
		}
	}
}
