package workload

import "fmt"

// call is the call of a named thing, whose arguments are taken one by one, so
// that those nobody asked for are found.
type call struct {
	name string
	args []arg
}

// take returns the argument with the key, or else that at the position among
// those without one.
func (c *call) take(key string, position int) (expr, bool) {
	plain := 0
	for i := range c.args {
		a := &c.args[i]
		if a.weight != "" || a.used {
			if a.key == "" {
				plain++
			}
			continue
		}
		if a.key == key || a.key == "" && plain == position {
			a.used = true
			return a.value, true
		}
		if a.key == "" {
			plain++
		}
	}
	return expr{}, false
}

// end returns err, or what is wrong with the arguments that were not taken.
func (c *call) end(err error) error {
	if err != nil {
		return err
	}
	for _, a := range c.args {
		switch {
		case a.used:
		case a.key != "":
			return fmt.Errorf("%s= is unknown here, or given twice", a.key)
		case a.weight != "":
			return fmt.Errorf("%s: is a weight, which has no place here", a.weight)
		default:
			return fmt.Errorf("%s is one argument too many", a.value.word)
		}
	}
	return nil
}
