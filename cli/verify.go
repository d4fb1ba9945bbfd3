package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/internal/report"
	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
)

type verifyCmd struct {
	Contestants []string `help:"Contestants to check; all schedulers by default." placeholder:"NAME"`
	Ops         int      `help:"Random operations to compare with the model." default:"100000"`
	Seed        uint64   `help:"Seed of the random operations." default:"1"`
	Rules       bool     `help:"Print every rule that is checked."`
}

// Run checks every contestant and fails if one breaks a rule.
func (c *verifyCmd) Run(con *console) error {
	if c.Ops < 0 {
		return usageError(fmt.Errorf("--ops %d, want 0 or more", c.Ops))
	}
	list, err := contestantsOf(c.Contestants, con.Contestants, append(catalog.Contestants(), con.Contestants...))
	if err != nil {
		return usageError(err)
	}
	if checked := func(c harness.Contestant) bool { return c.New != nil }; !slices.ContainsFunc(list, checked) {
		return usageError(fmt.Errorf("--contestants: %s: nothing to check without a scheduler; a run counts timers that are early, lost or doubled", strings.Join(c.Contestants, ", ")))
	}
	broken := 0
	for _, contestant := range list {
		if contestant.New == nil {
			fmt.Fprintf(con.out, "%s: not checked, it has no bare scheduler; a run counts its early, lost and doubled timers\n", contestant.Name)
			continue
		}
		n, err := c.check(con, contestant)
		if err != nil {
			return err
		}
		broken += n
	}
	if broken > 0 {
		return fmt.Errorf("%d rules are broken", broken)
	}
	return nil
}

func (c *verifyCmd) check(con *console, contestant harness.Contestant) (broken int, err error) {
	s, err := described(contestant)
	if err != nil {
		return 0, err
	}
	kept, skipped := 0, 0
	for _, r := range schedtest.Verify(s) {
		switch {
		case r.Err != nil:
			broken++
			fmt.Fprintf(con.out, "%s: BROKEN %s: %v\n  the rule: %s\n", s.Name, r.Case.Name, r.Err, r.Case.Rule)
		case r.Skipped != "":
			skipped++
		default:
			kept++
			if c.Rules {
				fmt.Fprintf(con.out, "%s: kept %s: %s\n", s.Name, r.Case.Name, r.Case.Rule)
			}
		}
	}
	differs, compared := error(nil), fmt.Sprintf("%d random operations compared with the model", c.Ops)
	for done := 0; done < c.Ops && differs == nil; done += atOnce { // to the first difference, each time with a new seed
		if con.ctx.Err() != nil {
			return 0, interruption("interrupted")
		}
		differs = schedtest.Compare(s, c.Seed+uint64(done/atOnce), min(c.Ops-done, atOnce))
	}
	if differs != nil {
		broken++
		compared = "random operations compared with the model up to the first difference"
		fmt.Fprintf(con.out, "%s: BROKEN model: %v\n", s.Name, differs)
	}
	fmt.Fprintf(con.out, "%s: %d rules kept, %d broken, %d not applicable; %s\n", s.Name, kept, broken, skipped, compared)
	return broken, nil
}

// broken prints the rules that the program's own schedulers in a run break. The process of a block skips this: its parent
// has checked.
func broken(con *console, all []harness.Contestant) (notes []rundata.Param) {
	if _, block := blocks.Ordered(); block {
		return nil
	}
	for _, own := range con.Contestants {
		takesPart := slices.ContainsFunc(all, func(c harness.Contestant) bool { return c.Name == own.Name })
		if own.New == nil || !takesPart {
			continue
		}
		s, err := described(own)
		if err != nil {
			continue // the run says so
		}
		var rules []string
		for _, r := range schedtest.Verify(s) {
			if r.Err != nil {
				rules = append(rules, r.Case.Name)
				fmt.Fprintf(con.err, "%s breaks the rule %s: %v\n", s.Name, r.Case.Name, r.Err)
			}
		}
		if len(rules) > 0 {
			fmt.Fprintf(commandWriter{con.err, con.called}, "\"bench verify --contestants %s\" shows more\n", s.Name)
			notes = append(notes, rundata.Param{Key: report.BreaksKey + own.Name, Value: strings.Join(rules, " ")})
		}
	}
	return notes
}

// atOnce is how many operations are done between two looks at whether the command was interrupted: half a second's work.
const atOnce = 1_000_000

// described returns a contestant's scheduler for schedtest. The methods of the scheduler say its tick, horizon and slots.
func described(c harness.Contestant) (schedtest.Scheduler, error) {
	geometry := harness.Geometry{Tick: time.Millisecond, Horizon: time.Minute}
	s, err := schedtest.Describe(c.Name, func() (schedulers.Scheduler[uint64], error) { return c.New(geometry) })
	if err != nil {
		err = errors.Join(fmt.Errorf("%s cannot be made", c.Name), err)
	}
	return s, err
}
