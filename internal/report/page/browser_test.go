//go:build browser

// Compiling what drives a browser takes long, so these tests need -tags browser. CI runs them.

package page

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

// browserNames are those of programs that can be driven.
var browserNames = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// tab is a tab of a browser without a window, and what it has asked the network for.
type tab struct {
	ctx context.Context

	mu      sync.Mutex
	fetched []string
}

// newTab starts a browser, or skips the test where none is found.
func newTab(t *testing.T) *tab {
	t.Helper()
	i := slices.IndexFunc(browserNames, func(name string) bool { _, err := exec.LookPath(name); return err == nil })
	if i < 0 {
		t.Skipf("no browser is installed (%v): whether the page looks right in one is not tried; the other tests of the page are", browserNames)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browserNames[i]), chromedp.WSURLReadTimeout(2*time.Minute))
	if os.Geteuid() == 0 { // as which Chromium starts without its sandbox only
		options = append(options, chromedp.NoSandbox)
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &tab{ctx: ctx}
	require.NoError(t, chromedp.Do(ctx)) // starts it
	must.Get(chromedp.Call(ctx, network.Enable, network.EnableParams{}))(t)
	require.NoError(t, chromedp.Listen(ctx, func(event any) {
		if e, ok := event.(*network.EventRequestWillBeSent); ok {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.fetched = append(b.fetched, e.Request.URL)
		}
	}))
	return b
}

func (b *tab) forget() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	fetched := b.fetched
	b.fetched = nil
	return fetched
}

// open shows a page from disk, so wide and in colours of a scheme, and returns its address.
func (b *tab) open(t *testing.T, page []byte, width int64, scheme string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	require.NoError(t, os.WriteFile(path, page, 0o644))
	b.media(t, "screen", scheme)
	address := (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
	require.NoError(t, chromedp.Do(b.ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate(address)))
	return address
}

// media sets the medium, and the scheme of colours that the reader likes.
func (b *tab) media(t *testing.T, medium, scheme string) {
	t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	require.NoError(t, err)
}

func ask[T any](t *testing.T, b *tab, expression string) T {
	t.Helper()
	answer, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	require.NoError(t, err, expression)
	return answer
}

// widest is the width of the widest window that is tried, in pixels.
const widest = 1400

const unfold = `document.querySelectorAll("details").forEach((d) => { d.open = true })`

// TestInABrowser shows the page in a browser, one for all of it, since it takes a while to start.
func TestInABrowser(t *testing.T) {
	b := newTab(t)
	for _, width := range []int64{400, 800, widest} {
		for _, scheme := range []string{"light", "dark"} {
			if scheme == "dark" && width < widest {
				continue // colours do not depend on the width
			}
			t.Run(fmt.Sprintf("%d pixels, %s", width, scheme), func(t *testing.T) { isShown(t, b, width, scheme) })
		}
	}
	t.Run("tables sort", func(t *testing.T) { tablesSort(t, b) })
	t.Run("what is folded is printed", func(t *testing.T) { foldedIsPrinted(t, b) })
	t.Run("hostile names", func(t *testing.T) { hostileNamesDoNothing(t, b) })
}

func isShown(t *testing.T, b *tab, width int64, scheme string) {
	b.forget()
	address := b.open(t, written(t, "published"), width, scheme)
	require.Equal(t, int(width), ask[int](t, b, "innerWidth"))
	fits(t, b, "folded")
	if width == widest {
		require.LessOrEqual(t, ask[float64](t, b, "document.scrollingElement.scrollHeight"), 8000.0, "how high the page is, folded")
	}
	require.Empty(t, ask[[]string](t, b, `[...document.querySelectorAll(".wide, .drawing")].filter((e) => e.checkVisibility({contentVisibilityAuto: true}) &&
		e.getBoundingClientRect().height > 5 && e.scrollWidth > e.clientWidth + 1 &&
		!(e.previousElementSibling?.matches(".narrow") && e.previousElementSibling.checkVisibility())).map((e) => e.closest("section").innerText.slice(0, 60))`),
		"what scrolls sideways without a hint")
	_ = ask[chromedp.Void](t, b, unfold)
	fits(t, b, "unfolded")
	if width == widest {
		readable(t, b, scheme == "dark")
	}
	require.Equal(t, []string{address}, b.forget(), "what was fetched")
}

// fits checks that nothing is wider than the window, and that the card is in it.
func fits(t *testing.T, b *tab, how string) {
	t.Helper()
	require.LessOrEqual(t, ask[float64](t, b, "document.scrollingElement.scrollWidth"), ask[float64](t, b, "innerWidth"), how)
	require.True(t, ask[bool](t, b, `(() => {
		const card = document.querySelector("#card"), box = card.getBoundingClientRect();
		return box.width > 200 && box.height > 40 && box.left >= 0 && box.right <= innerWidth && box.top < innerHeight &&
			card.innerText.length > 200 && parseFloat(getComputedStyle(card).fontSize) >= 12;
	})()`), "the card is seen, "+how)
}

// readable checks that text stands out against what is behind it, as WCAG wants it: 4.5 to 1.
func readable(t *testing.T, b *tab, dark bool) {
	t.Helper()
	pairs := ask[[][2][3]float64](t, b, `(() => {
		const rgb = (s) => s.match(/[\d.]+/g).map(Number), found = new Map();
		const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		while (walker.nextNode()) {
			const at = walker.currentNode.parentElement;
			if (!walker.currentNode.data.trim() || at.closest("svg, script")) continue;
			let behind = at;
			while (behind.parentElement && rgb(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
			const pair = [rgb(getComputedStyle(at).color).slice(0, 3), rgb(getComputedStyle(behind).backgroundColor).slice(0, 3)];
			found.set(JSON.stringify(pair), pair);
		}
		return [...found.values()];
	})()`)
	require.NotEmpty(t, pairs)
	for _, p := range pairs {
		require.GreaterOrEqual(t, contrast(p[0], p[1]), 4.5, "%v on %v", p[0], p[1])
		require.Equal(t, dark, luminance(p[0]) > luminance(p[1]), "%v on %v", p[0], p[1])
	}
}

// sortTables clicks twice at the second column of each table. It returns the column's texts before and after. It is one
// expression, since each takes long.
const sortTables = `[...document.querySelectorAll("table")].map((table) => {
	const rows = () => [...table.tBodies[0].rows];
	const texts = () => rows().filter((r) => r.className !== "more").map((r) => r.cells[1].textContent);
	const pairs = () => rows().filter((r) => r.className === "more").map((r) => r.textContent + r.previousElementSibling.cells[0].textContent).sort().join();
	const head = table.tHead.rows[0].cells[1], before = pairs();
	const click = () => { head.querySelector("button").click(); return { Order: head.ariaSort, Texts: texts(), Whole: pairs() === before }; };
	return [{ Order: "", Texts: texts(), Whole: true }, click(), click()];
})`

func tablesSort(t *testing.T, b *tab) {
	b.open(t, written(t, "published"), 1400, "light")
	read := func(texts []string) (found []float64, all bool) {
		for _, s := range texts {
			v, ok := figureOf(s)
			if ok && len(found) > 0 && math.IsNaN(found[len(found)-1]) {
				return found, false // one without a figure stands before it
			}
			if found = append(found, v); !ok {
				found[len(found)-1] = math.NaN()
			}
		}
		return slices.DeleteFunc(found, math.IsNaN), true
	}
	sorted := 0
	for i, of := range ask[[][]struct {
		Order string
		Texts []string
		Whole bool
	}](t, b, sortTables) {
		up, last := read(of[1].Texts)
		down, lastToo := read(of[2].Texts)
		require.True(t, last && lastToo, "table %d: what has no figure is last: %q", i, of[1].Texts)
		require.True(t, slices.IsSorted(up), "table %d: %q", i, of[1].Texts)
		slices.Reverse(down)
		require.Equal(t, up, down)
		require.Equal(t, []string{"ascending", "descending"}, []string{of[1].Order, of[2].Order})
		require.ElementsMatch(t, of[0].Texts, of[1].Texts)
		require.True(t, of[1].Whole && of[2].Whole, "rows that say more stay below theirs")
		if len(up) >= 3 {
			sorted++
		}
	}
	require.Greater(t, sorted, 5)
}

// figures is a number with its unit as package words writes it.
var figures = regexp.MustCompile(`^\(?(?:same: |n\^|under )?(-?[0-9]+(?:\.[0-9]+)?(?:e-[0-9]+)?)(?: ?(ns|µs|ms|s|B|kB|MB|GB|k|M|G|d|%|×))?×?(?:/s)?(?:$|[ ).,;])`)

// units are what figures are multiplied by. Times are in nanoseconds.
var units = map[string]float64{
	"": 1, "ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "d": 24 * 3600e9,
	"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "k": 1e3, "M": 1e6, "G": 1e9, "%": 0.01, "×": 1,
}

// figureOf reads what a cell of a table begins with: 1.5 for "1.5× ±3%", 2e6 for "2 ms". It reports whether that is a figure.
func figureOf(cell string) (float64, bool) {
	if d, err := time.ParseDuration(cell); err == nil {
		return float64(d), true
	}
	found := figures.FindStringSubmatch(cell)
	if found == nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(found[1], 64)
	return v * units[found[2]], err == nil
}

func foldedIsPrinted(t *testing.T, b *tab) {
	b.open(t, written(t, "one block"), 1400, "dark")
	const seen = `[...document.querySelectorAll("table")].filter((t) => t.getBoundingClientRect().height > 10 && t.checkVisibility({contentVisibilityAuto: true})).length`
	require.Equal(t, 0, ask[int](t, b, `document.querySelectorAll("details[open]").length`))
	b.media(t, "print", "light")
	require.Equal(t, ask[int](t, b, `document.querySelectorAll("table").length`), ask[int](t, b, seen))
	readable(t, b, false)
}

func hostileNamesDoNothing(t *testing.T, b *tab) {
	b.open(t, written(t, "hostile names"), 1400, "light")
	require.True(t, ask[bool](t, b, `document.querySelectorAll("script, img, iframe").length === 1`))
	fits(t, b, "with long names")
	require.Contains(t, ask[string](t, b, "document.title"), hostile)
	require.True(t, ask[bool](t, b, `(() => {
		const another = document.createElement("script");
		another.textContent = "window.ran = true";
		document.head.append(another);
		return window.ran === undefined;
	})()`), "no other script is allowed to run")
}

// luminance and contrast are those of WCAG 2, section "relative luminance".
func luminance(c [3]float64) float64 {
	part := func(v float64) float64 {
		if v /= 255; v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*part(c[0]) + 0.7152*part(c[1]) + 0.0722*part(c[2])
}

func contrast(a, b [3]float64) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
