package page

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/must"
	"schedbench/internal/report"
	"schedbench/internal/tune"
)

// trial is a run whose page is tried. The page is written once for all tests.
type trial struct {
	data *rundata.Data
	page func() ([]byte, error)
}

const hostile = `</script><script>alert("1")</script><img src=x onerror=alert(2)>&amp;'`

var trials = sync.OnceValue(func() map[string]trial {
	published, err := rundata.Load(filepath.Join("..", "..", "..", "results", "published", "data"))
	if err != nil {
		panic(err)
	}
	n := 0
	partial := changed(published, func(*rundata.Series) bool { n++; return n%3 == 0 })
	partial.Complete = false
	bad := changed(published, func(s *rundata.Series) bool {
		for i, p := range s.Params {
			if p.Key == "impl" && p.Value == "heapsched" || p.Key == "profile" && p.Value == "heartbeat" {
				s.Params[i].Value = hostile
			}
		}
		return true
	})
	bad.Env["cpu"], bad.Env["command"] = hostile, "bench "+hostile
	all := map[string]trial{}
	for name, d := range map[string]*rundata.Data{
		"published":      published,
		"nothing":        nil,
		"no series":      {Complete: true},
		"incomplete":     partial,
		"hostile names":  bad,
		"one contestant": changed(published, func(s *rundata.Series) bool { return s.Get("impl") == "hierwheel" }),
		"one block":      changed(published, ofOneBlock), // whose intervals have no ends
		"less than idle": changed(published, lessThanIdle),
	} {
		all[name] = trial{d, sync.OnceValues(func() ([]byte, error) {
			var b bytes.Buffer
			err := Write(&b, report.Judge(d, usual))
			return b.Bytes(), err
		})}
	}
	return all
})

// ofOneBlock leaves a series its first block.
func ofOneBlock(s *rundata.Series) bool {
	n := 1
	for n < len(s.Block) && s.Block[n] == s.Block[0] {
		n++
	}
	s.Block, s.Iterations, s.Values = s.Block[:min(n, len(s.Block))], s.Iterations[:min(n, len(s.Iterations))], maps.Clone(s.Values)
	for unit, values := range s.Values {
		s.Values[unit] = values[:min(n, len(values))]
	}
	return true
}

// lessThanIdle has a series of idling take less than an idle process does. Experiments in which that shows nowhere are left out.
func lessThanIdle(s *rundata.Series) bool {
	if !slices.Contains([]string{rundata.Idle, rundata.Jitter, rundata.Live}, s.Experiment) {
		return false
	}
	if s.Experiment == rundata.Idle && !strings.HasPrefix(s.Get("impl"), rundata.ProcessControl) {
		s.Values = maps.Clone(s.Values)
		s.Values[rundata.CPUPerSecond] = lists.Each(s.Values[rundata.CPUPerSecond], func(v float64) float64 { return v / 1000 })
	}
	return true
}

// changed returns a copy of a run with series changed, or left out where of returns false.
func changed(d *rundata.Data, of func(*rundata.Series) bool) *rundata.Data {
	other := *d
	other.Env, other.Series = maps.Clone(d.Env), nil
	for _, s := range d.Series {
		c := *s
		c.Params = slices.Clone(s.Params)
		if of(&c) {
			other.Series = append(other.Series, &c)
		}
	}
	return &other
}

// usual is how a run is reported unless flags say otherwise.
var usual = report.Options{Requirement: tune.Requirements{Lateness: 20e6, CPU: 0.02}}

func written(t *testing.T, name string) []byte {
	t.Helper()
	return must.Get(trials()[name].page())(t)
}

func parsed(t *testing.T, name string) *html.Node {
	t.Helper()
	return must.Get(html.Parse(bytes.NewReader(written(t, name))))(t)
}

// elements returns the elements of a kind in an element, or all of any kind.
func elements(of *html.Node, kinds ...string) (found []*html.Node) {
	for n := range of.Descendants() {
		if n.Type == html.ElementNode && (len(kinds) == 0 || slices.Contains(kinds, n.Data)) {
			found = append(found, n)
		}
	}
	return found
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// textOf returns the text in an element, each blank as one.
func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func TestThePageIsSound(t *testing.T) {
	for name := range trials() {
		t.Run(name, func(t *testing.T) {
			page := written(t, name)
			require.Less(t, len(page), 1_210_000, "the size of the file") // of names that are long, too
			balanced(t, page)
			root := parsed(t, name)
			headingsInOrder(t, root)
			described(t, root)
			nothingIsFetched(t, root)
			require.Equal(t, script, elements(root, "script")[0].FirstChild.Data, "the one that the policy allows")
			require.Len(t, elements(root, "script"), 1)
			require.Len(t, elements(root, "h1"), 1)
			require.Len(t, elements(root, "main"), 1)
		})
	}
}

// impossible are figures that are none: exponents, infinities, less than nothing.
var impossible = regexp.MustCompile(`\d[eE][+-]\d|Inf|∞|NaN|\? %|\?×|(^|[\s(])[-−]\d[\d.]*[\s\x{a0}]?(%|×|ns|µs|ms|s|B|kB|MB)\b`)

func TestNoFigureIsImpossible(t *testing.T) {
	for _, name := range []string{"published", "one block", "less than idle"} {
		found := map[string]bool{}
		for n := range parsed(t, name).Descendants() {
			if n.Type == html.TextNode && n.Parent.Data != "style" && n.Parent.Data != "script" && impossible.MatchString(n.Data) {
				found[n.Data] = true
			}
		}
		require.Empty(t, slices.Sorted(maps.Keys(found)), name)
	}
}

// balanced checks that every element that was begun is ended where it should be: a parser would mend that.
func balanced(t *testing.T, page []byte) {
	t.Helper()
	void := []string{"meta", "link", "br", "img", "input", "hr"}
	tokens := html.NewTokenizer(bytes.NewReader(page))
	var open []string
	for {
		switch kind := tokens.Next(); kind {
		case html.ErrorToken:
			require.Empty(t, open, "elements that are not ended")
			return
		case html.StartTagToken, html.EndTagToken:
			tag := tokens.Token()
			switch {
			case slices.Contains(void, tag.Data):
			case kind == html.StartTagToken:
				open = append(open, tag.Data)
			default:
				require.NotEmpty(t, open, tag.Data)
				require.Equal(t, open[len(open)-1], tag.Data, "an element that ends")
				open = open[:len(open)-1]
			}
			for i, a := range tag.Attr {
				require.False(t, slices.ContainsFunc(tag.Attr[:i], func(b html.Attribute) bool { return b.Key == a.Key }), "%s has %s twice", tag.Data, a.Key)
			}
		}
	}
}

// headingsInOrder checks that no level of headings is left out, and that the target of each link is there, once.
func headingsInOrder(t *testing.T, root *html.Node) {
	t.Helper()
	level := 0
	for _, h := range elements(root, "h1", "h2", "h3", "h4", "h5", "h6") {
		is := int(h.Data[1] - '0')
		require.LessOrEqual(t, is, level+1, "%s: %s", h.Data, textOf(h))
		require.NotEmpty(t, textOf(h))
		level = is
	}
	ids := map[string]int{}
	for _, n := range elements(root) {
		if id := attribute(n, "id"); id != "" {
			ids[id]++
			require.Equal(t, 1, ids[id], "id %s", id)
		}
	}
	for _, n := range elements(root) {
		for _, name := range []string{"aria-labelledby", "aria-describedby"} {
			if to := attribute(n, name); to != "" {
				require.Equal(t, 1, ids[to], "%s=%s", name, to)
			}
		}
		if to, inside := strings.CutPrefix(attribute(n, "href"), "#"); inside {
			require.Equal(t, 1, ids[to], "link to %s", to)
		}
	}
}

// described checks that drawings have a text and tables a caption and the scopes of their heads.
func described(t *testing.T, root *html.Node) {
	t.Helper()
	for _, n := range elements(root, "svg", "img") {
		if attribute(n, "aria-hidden") == "true" {
			continue
		}
		require.Equal(t, "img", attribute(n, "role"))
		require.Greater(t, len(attribute(n, "aria-label")), 20, "what a chart shows")
	}
	for _, n := range elements(root, "table") {
		require.Len(t, elements(n, "caption"), 1)
		require.NotEmpty(t, textOf(elements(n, "caption")[0]))
		columns := 0
		for _, h := range elements(n, "th") {
			in := "row"
			if h.Parent.Parent.DataAtom == atom.Thead {
				in = "col"
				columns++
			}
			require.Equal(t, in, attribute(h, "scope"), textOf(h))
		}
		for _, r := range elements(n, "tr") {
			require.Len(t, elements(r, "th", "td"), columns)
		}
	}
}

// nothingIsFetched checks that no address leads out of the page.
func nothingIsFetched(t *testing.T, root *html.Node) {
	t.Helper()
	for _, n := range elements(root) {
		for _, a := range n.Attr {
			where := fmt.Sprintf("%s %s=%q", n.Data, a.Key, a.Val)
			require.False(t, strings.HasPrefix(a.Key, "on"), where)
			switch a.Key {
			case "src", "srcset", "action", "background", "poster", "data", "ping":
				t.Error(where)
			case "href":
				require.True(t, strings.HasPrefix(a.Val, "#"), where)
			case "style":
				require.NotContains(t, a.Val, "url", where)
			}
		}
	}
	require.Empty(t, elements(root, "link", "iframe", "object", "embed", "base", "form"))
	require.NotContains(t, style, "url(")
	require.NotContains(t, style, "@import")
}

func TestNamesStayTexts(t *testing.T) {
	page := string(written(t, "hostile names"))
	for _, markup := range []string{"<script>alert", "<img", `alert("`} {
		require.False(t, strings.Contains(page, markup), markup) // the whole page is much to print
	}
	require.True(t, strings.Contains(textOf(parsed(t, "hostile names")), hostile), "the name is there as it is")
}

// The card is on the page as it is on a terminal: every paragraph, and every cell of its table.
func TestTheCardIsOnThePage(t *testing.T) {
	for name, run := range trials() {
		t.Run(name, func(t *testing.T) {
			all := elements(parsed(t, name))
			i := slices.IndexFunc(all, func(n *html.Node) bool { return attribute(n, "id") == "card" })
			require.GreaterOrEqual(t, i, 0)
			shown := textOf(all[i])
			card := report.Judge(run.data, usual).Card()
			require.NotEmpty(t, card.Answers())
			for _, p := range card.Answers() {
				require.Contains(t, shown, p.Label)
				require.Contains(t, shown, strings.Join(strings.Fields(p.Text), " "))
			}
			require.Contains(t, shown, card.Checked())
			for _, o := range card.Open {
				require.Contains(t, shown, o.Command)
			}
			var cells, want []string
			if len(card.Worst.Rows) > 0 {
				cells = lists.Each(elements(elements(all[i], "table")[0], "td"), textOf)
			}
			for _, r := range card.Worst.Rows {
				for _, c := range r.Cells {
					want = append(want, c.Text())
				}
			}
			require.Equal(t, want, cells)
		})
	}
}
