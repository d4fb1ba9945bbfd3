package harness

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// agree returns an error if parts of a series, by different runs, are not of one kind.
func agree(parts []*Series, by []contribution) error {
	first := parts[0]
	for i, p := range parts {
		switch a, b := sortedKeys(first.Values), sortedKeys(p.Values); {
		case p.PerBlock != first.PerBlock:
			return fmt.Errorf("%w: %s has blocks of %d rounds in %s, and of %d in %s", ErrUnlike, p.Name(), first.PerBlock, by[0].dir, p.PerBlock, by[i].dir)
		case len(p.Iterations)%p.PerBlock != 0:
			return fmt.Errorf("%w: %s has %d rounds in %s, want whole blocks of %d", ErrUnlike, p.Name(), len(p.Iterations), by[i].dir, p.PerBlock)
		case first.Note == "" && p.Note == "" && !slices.Equal(a, b):
			return fmt.Errorf("%w: %s has figures in %s in %s, and in %s in %s", ErrUnlike, p.Name(), strings.Join(a, ", "), by[0].dir, strings.Join(b, ", "), by[i].dir)
		}
	}
	return nil
}

// join joins parts of one series. Whoever is out in one of them has that to show for all.
func join(parts []*Series) *Series {
	all := *parts[0]
	out := slices.IndexFunc(parts, func(s *Series) bool { return s.Note != "" })
	if out >= 0 {
		all = *parts[out]
	}
	all.Iterations, all.Values = nil, map[string][]float64{}
	for _, kind := range histogramKinds {
		*all.histogram(kind) = nil
	}
	for _, p := range parts {
		for i := range p.Iterations {
			from, round := p, i
			if out >= 0 { // the same is said of every round
				from, round = parts[out], 0
			}
			all.add(from.Iterations[round], from.round(round))
		}
		for _, kind := range histogramKinds {
			into, h := all.histogram(kind), *p.histogram(kind)
			switch {
			case h != nil && *into == nil:
				*into = h.Clone()
			case h != nil:
				(*into).Merge(h)
			}
		}
	}
	return &all
}

// round returns the values of a round.
func (s *Series) round(i int) sample {
	values := sample{}
	for unit, v := range s.Values {
		values[unit] = v[i]
	}
	return values
}

// betweenRuns is between what is said of several runs in one line.
const betweenRuns = " | "

// OfRuns returns what is said of each of several runs that were merged, in a value of their
// description; of a single run, or where all say the same, that is one.
func OfRuns(value string) []string { return strings.Split(value, betweenRuns) }

// together returns the description of several runs: what is the same of all of them, and
// what is not of each, in their order.
func together(runs []contribution) (env []Param) {
	for _, r := range runs {
		for _, p := range r.env {
			own := slices.Contains([]string{cellsKey, completeKey, samplesKey, perBlockKey, noteKey, runsKey, "order"}, p.Key) || strings.Contains(p.Key, " ")
			if own || slices.ContainsFunc(env, func(have Param) bool { return have.Key == p.Key }) {
				continue
			}
			values := valuesIn(runs, p.Key)
			if len(slices.Compact(slices.Clone(values))) == 1 {
				values = values[:1]
			}
			env = append(env, Param{p.Key, strings.Join(values, betweenRuns)})
		}
	}
	return env
}

// valuesIn returns what descriptions say under a key, of each run: one that has been
// merged before stands for several.
func valuesIn(runs []contribution, key string) (values []string) {
	for _, r := range runs {
		n := r.count()
		said := OfRuns(cmp.Or(valueOf(r.env, key), "unknown"))
		if len(said) != n {
			said = slices.Repeat([]string{strings.Join(said, betweenRuns)}, n)
		}
		values = append(values, said...)
	}
	return values
}

// runsKey is the key under which merged runs say how many they are.
const runsKey = "runs"

// count returns how many runs it is.
func (c contribution) count() int {
	n, _ := strconv.Atoi(valueOf(c.env, runsKey))
	return max(n, 1)
}

// count returns how many runs they are.
func count(runs []contribution) Param {
	n := 0
	for _, r := range runs {
		n += r.count()
	}
	return Param{runsKey, strconv.Itoa(n)}
}
