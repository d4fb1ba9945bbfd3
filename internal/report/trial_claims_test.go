package report

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/words"
)

// topicOf is what a verdict calls an operation.
var topicOf = map[string]string{rundata.OpInsert: "insert", rundata.OpLivePair: "AfterFunc and Stop"}

// kind is one of the kinds of sentences, or clauses of them, that compare contestants.
type kind string

const (
	leads   kind = "leads"    // or is in front together with others
	open    kind = "unclear"  // who leads, and between what the ratio lies
	loses   kind = "loses"    // to what Go has
	gains   kind = "Go takes" // as times the best
	atWorst kind = "at worst" // what each costs
)

// sentence is one of a kind: about a question, or about one of those that Go has, since all
// losses to it hold together.
type sentence struct {
	kind  kind
	about string
}

// heard is what a verdict of a made-up run says, held to the truth.
type heard struct {
	*madeRun
	// wrong are the false sentences: of which kind, and about what.
	wrong map[sentence]bool
	// said is how many claims of a kind there are.
	said map[kind]int
	// leads are who is said to lead, by topic and place, and lost who is said to lose, by
	// name, topic and place.
	leads map[string]string
	lost  map[string]bool
	// more are the most blocks that would decide it, by topic and place.
	more map[string]int
	// seems is in how many of twice places a contestant seems to differ from itself.
	seems, twice int
}

// hear reads a verdict.
func (r *madeRun) hear(lines []string) *heard {
	h := &heard{madeRun: r, wrong: map[sentence]bool{}, said: map[kind]int{}, leads: map[string]string{}, lost: map[string]bool{}, more: map[string]int{}}
	for _, l := range lines {
		switch {
		case twiceLine.MatchString(l):
			m := twiceLine.FindStringSubmatch(l)
			h.seems, h.twice = int(figure(m[1])), int(figure(m[2]))
		case strings.Contains(l, " loses to "):
			h.loss(l)
		case strings.HasPrefix(l, "What each costs at worst"):
			h.worst(l)
		case strings.HasPrefix(l, "What "):
			h.gain(l)
		}
		for _, topic := range topicOf {
			if rest, ok := strings.CutPrefix(l, words.Capital(topic)+": "); ok {
				h.topic(topic, rest)
			}
		}
	}
	return h
}

// The forms of what is said. A factor may have an interval.
const (
	who    = `([a-z][\w.-]*\w)`
	times  = `([\d.]+)×`
	spans  = times + ` \(` + times + ` to ` + times + `\)`
	spot   = `([A-Za-z ]+?) with (\w+) pending`
	places = `with ([\w, ]+) pending`
)

var (
	twiceLine = regexp.MustCompile(`^Measured twice, .* differ from itself in (\d+) of (\d+) place`)
	leadForm  = regexp.MustCompile(who + ` leads ` + places + `, and the next`)
	pairForm  = regexp.MustCompile(who + ` and ` + who + ` are in front, within 10 % of each other, ` + places)
	frontForm = regexp.MustCompile(who + ` is in front, and ([\w.\-, ]+) are within 10 % of it, ` + places)
	openForm  = regexp.MustCompile(`^` + places + `: ` + who + ` or (.*)$`)
	oneForm   = regexp.MustCompile(who + ` \(` + times + `, (?:` + times + ` to ` + times + `|too few or too different \d+ blocks); (?:more than )?([\d.k]+) more blocks?\)`)
	lossForm  = regexp.MustCompile(`^` + who + ` loses to ` + who + `: it takes ` + spans + ` as long at ` + spot)
	tooForm   = regexp.MustCompile(`([A-Za-z ]+?) ` + places + ` \(`)
	gainForm  = regexp.MustCompile(`^What ` + who + ` takes, as times the best with (\w+) pending: `)
	byForm    = regexp.MustCompile(`([A-Za-z ]+?) ` + times + ` \(` + times + ` to ` + times + `, ` + who + `\)`)
	worstForm = regexp.MustCompile(who + ` ` + spans + ` at ` + spot)
)

// say notes a claim that is to be true, as part of a sentence.
func (h *heard) say(k kind, about string, holds bool) {
	h.said[k]++
	if !holds {
		h.wrong[sentence{k, about}] = true
	}
}

// cell returns the cell of a topic and a place.
func (h *heard) cell(topic, place string) madeCell {
	for _, c := range h.cells {
		if topicOf[c.op] == topic && words.Count(float64(c.n)) == place {
			return c
		}
	}
	panic(fmt.Sprintf("there is no %s with %s pending", topic, place))
}

// listed returns the cells that a list of places names, or a range.
func (h *heard) listed(topic, list string) (cells []madeCell) {
	from, to, isRange := strings.Cut(list, " to ")
	if !isRange {
		for _, place := range strings.FieldsFunc(strings.ReplaceAll(list, " and ", ","), func(r rune) bool { return r == ',' || r == ' ' }) {
			cells = append(cells, h.cell(topic, place))
		}
		return cells
	}
	for _, c := range h.cells {
		if topicOf[c.op] == topic && h.cell(topic, from).n <= c.n && c.n <= h.cell(topic, to).n {
			cells = append(cells, c)
		}
	}
	return cells
}

// ratio is how many times as long as another a contestant really takes.
func (h *heard) ratio(a, b string, c madeCell) float64 { return h.of(a, c.n) / h.of(b, c.n) }

// best is what the best really takes, of all but some.
func (h *heard) best(c madeCell, but ...string) float64 {
	least := 1e300
	for _, name := range c.names {
		if !slices.Contains(but, name) {
			least = min(least, h.of(name, c.n))
		}
	}
	return least
}

// topic reads who leads, who is in front together, and where that is unclear.
func (h *heard) topic(topic, l string) {
	for _, m := range found(leadForm, " leads with ", l) {
		for _, c := range h.listed(topic, m[2]) {
			h.leads[c.spot()] = m[1]
			h.say(leads, topic, h.of(m[1], c.n) < h.best(c, m[1]))
		}
	}
	for _, m := range found(pairForm, " of each other", l) {
		h.together(topic, m[3], m[1:3])
	}
	for _, m := range found(frontForm, " of it, ", l) {
		h.together(topic, m[3], append(names(m[2]), m[1]))
	}
	parts := strings.Split(strings.TrimSuffix(l, "."), "it is unclear who leads ")
	for _, part := range parts[1:] {
		h.open(topic, strings.TrimSuffix(part, "; "))
	}
}

// found returns where a line has a form, which is looked for where it has some words.
func found(form *regexp.Regexp, words, l string) [][]string {
	if !strings.Contains(l, words) {
		return nil
	}
	return form.FindAllStringSubmatch(l, -1)
}

// names reads a list of names.
func names(list string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(list, " and ", ","), func(r rune) bool { return r == ',' || r == ' ' })
}

// together holds it against the truth that some are in front, within the margin of the
// last of them.
func (h *heard) together(topic, list string, front []string) {
	for _, c := range h.listed(topic, list) {
		first := front[len(front)-1]
		for _, name := range front {
			r := h.ratio(name, first, c)
			h.say(leads, topic, 1/judge.Margin < r*1.000001 && r < judge.Margin*1.000001)
		}
		h.say(leads, topic, len(front) == len(c.names) || h.of(first, c.n) < h.best(c, front...))
	}
}

// open reads where it is unclear who leads, and between what the ratios lie.
func (h *heard) open(topic, part string) {
	m := openForm.FindStringSubmatch(part)
	c := h.cell(topic, m[1])
	candidates := []string{m[2]}
	for _, one := range oneForm.FindAllStringSubmatch(m[3], -1) {
		candidates = append(candidates, one[1])
		h.say(open, topic, one[3] == "" || inInterval(h.ratio(one[1], m[2], c), one[3], one[4]))
		h.more[c.spot()] = max(h.more[c.spot()], int(figure(one[5])))
	}
	h.say(open, topic, strings.HasSuffix(part, "other") || strings.HasSuffix(part, "others") ||
		slices.ContainsFunc(candidates, func(name string) bool { return h.of(name, c.n) == h.best(c) }))
}

func (h *heard) loss(l string) {
	m := lossForm.FindStringSubmatch(l)
	name, to, topic := m[1], m[2], m[6]
	c := h.cell(topic, m[7])
	h.say(loses, to, inInterval(h.ratio(name, to, c), m[4], m[5]))
	lost := []madeCell{c}
	_, too, _ := strings.Cut(l, "; it loses too at ")
	for _, m := range tooForm.FindAllStringSubmatch(too, -1) {
		lost = append(lost, h.listed(strings.TrimSpace(m[1]), m[2])...)
	}
	for _, c := range lost {
		h.lost[name+" "+c.spot()] = true
		h.say(loses, to, h.ratio(name, to, c) > 1)
	}
}

func (h *heard) gain(l string) {
	m := gainForm.FindStringSubmatch(l)
	for _, by := range byForm.FindAllStringSubmatch(l[len(m[0]):], -1) {
		r := h.ratio(m[1], by[5], h.cell(strings.TrimSpace(by[1]), m[2]))
		h.say(gains, m[1], r > 1 && inInterval(r, by[3], by[4]))
	}
}

func (h *heard) worst(l string) {
	for _, m := range worstForm.FindAllStringSubmatch(l, -1) {
		c := h.cell(m[5], m[6])
		r := h.of(m[1], c.n) / h.best(c)
		h.say(atWorst, "", r > 1 && inInterval(r, m[3], m[4]))
	}
}

// spot names the topic and the place of a cell.
func (c madeCell) spot() string { return topicOf[c.op] + " " + words.Count(float64(c.n)) }

// inInterval reports whether a figure lies in an interval that is written with three digits.
func inInterval(v float64, low, high string) bool {
	return figure(low)*0.995 <= v && v <= figure(high)*1.005
}

// figure reads a number.
func figure(s string) float64 {
	s, thousands := strings.CutSuffix(s, "k")
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err)
	}
	if thousands {
		v *= 1000
	}
	return v
}
