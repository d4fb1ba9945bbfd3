package workload

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/internal/must"
)

// textOf draws the text of a profile, most of which are allowed.
func textOf(t *rapid.T) string {
	var b strings.Builder
	b.WriteString("name = \"random\"\nlength = \"2s\"\ntick = \"1ms\"\n")
	for range rapid.IntRange(1, 4).Draw(t, "blocks") {
		b.WriteString("\n[[timers]]\n")
		blockOf(t, &b)
	}
	return b.String()
}

func blockOf(t *rapid.T, b *strings.Builder) {
	pick := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	arrivals := pick("arrivals", "poisson(300/s)", "paced(1k/s)", "bursts(50, every=100ms)",
		"fixed(20, over=0)", "fixed(30, over=700ms)", "poisson(20k/min)")
	fmt.Fprintf(b, "arrivals = %q\n", arrivals)
	delays := []string{"100ms", "uniform(0, 1s)", "exponential(50ms)", "levels(1ms, 5ms, 3s)", "loguniform(1ns, 1h)",
		"mix(1ms, uniform(1s, 2s))", "lognormal(p50=10ms, sigma=1)"}
	isFixed := strings.HasPrefix(arrivals, "fixed")
	if isFixed && rapid.Bool().Draw(t, "periodic") {
		fmt.Fprintf(b, "period = %q\n", pick("period", "1ms", "uniform(5ms, 1s)", "levels(2ms, 3ms)"))
		return
	}
	delay := pick("delay", delays...)
	fmt.Fprintf(b, "delay = %q\n", delay)
	backoff := delay == "100ms" && rapid.Bool().Draw(t, "back off")
	after := []string{"exponential(20ms)", "uniform(0, 300ms)", "lognormal(p50=1ms, p90=100ms)"}
	shared := backoff || rapid.Bool().Draw(t, "shared")
	times := ""
	ending := func(key, share string) {
		if shared {
			after = append(after, "uniform(0%, 100%)", "exponential(1%)", "99%", "uniform(50%, 100%)")
			share = fmt.Sprintf("share = %q, ", share)
		} else {
			share = ""
		}
		if key == "reset" && !backoff {
			times = pick("times", "", ", times = 1", ", times = 7")
		}
		fmt.Fprintf(b, "%s = { %safter = %q%s }\n", key, share, pick("after", after...), times)
	}
	if rapid.Bool().Draw(t, "cancel") {
		ending("cancel", pick("share", "0%", "1%", "50%"))
	}
	if rapid.Bool().Draw(t, "reset") {
		ending("reset", pick("share", "0.5%", "49%"))
	}
	switch {
	case backoff:
		fmt.Fprintf(b, "backoff = { factor = %s, max = \"800ms\", again = %q }\n",
			pick("factor", "2", "1.5"), pick("again", "0%", "50%", "90%"))
	case !isFixed && times == "" && rapid.Bool().Draw(t, "initial"):
		fmt.Fprintf(b, "initial = %q\n", pick("initial", "1", "40", "0.3k"))
	}
}

func TestRandomStreamsAreSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parseAny(t, textOf(t), Options{
			Seed:  rapid.Uint64().Draw(t, "seed"),
			Scale: rapid.SampledFrom([]float64{0, 0.1, 1, 3}).Draw(t, "scale"),
			For:   rapid.SampledFrom([]time.Duration{0, 1, time.Millisecond, time.Second}).Draw(t, "for"),
		})
	})
}

// Ways of ending that are combined end as often as is computed.
func TestMixOfCombinations(t *testing.T) {
	for name, lines := range map[string]string{
		"cancel and deadline race": `
			delay  = "exponential(10ms)"
			cancel = { after = "exponential(5ms)" }`,
		"three race": `
			delay  = "uniform(1ms, 20ms)"
			reset  = { after = "lognormal(p50=10ms, sigma=1)" }
			cancel = { after = "exponential(30ms)" }`,
		"single values race": `
			delay  = "levels(3ms, 5ms, 9ms)"
			reset  = { after = "levels(3ms, 7ms)" }
			cancel = { after = "levels(2: 3ms, 1: 7ms, 5: 50ms)" }`,
		"resets are counted in a race": `
			delay  = "10ms"
			reset  = { after = "3ms", times = 3 }
			cancel = { after = "exponential(20ms)" }`,
		"resets are counted": `
			delay  = "uniform(1ms, 9ms)"
			reset  = { share = "60%", after = "uniform(0%, 100%)", times = 2 }
			cancel = { share = "30%", after = "exponential(2ms)" }`,
		"back-off of new timers": `
			delay   = "1ms"
			cancel  = { share = "80%", after = "uniform(0, 1ms)" }
			backoff = { factor = 3, max = "20ms", again = "60%" }`,
		"back-off with resets": `
			delay   = "1ms"
			reset   = { share = "50%", after = "exponential(1ms)" }
			cancel  = { share = "20%", after = "10%" }
			backoff = { factor = 1.7, max = "5ms", again = "30%" }`,
		"resets without end": `
			delay   = "loguniform(1ms, 30ms)"
			reset   = { share = "90%", after = "uniform(20%, 70%)" }`,
	} {
		for _, arrivals := range []string{"poisson(20k/s)", "fixed(200, over=10ms)"} {
			t.Run(name+" "+arrivals, func(t *testing.T) {
				t.Parallel()
				text := fmt.Sprintf("name = 'x'\nlength = '10s'\ntick = '1ms'\n[[timers]]\narrivals = %q\n%s\n", arrivals, lines)
				checkRates(t, must.Get(Parse(strings.NewReader(text), "x.toml"))(t), observation{Options{Seed: 3, For: 10 * time.Second}, time.Second})
			})
		}
	}
}

// What is pending at the start is what would be found there after a long time.
func TestInitialIsSteady(t *testing.T) {
	for _, lines := range []string{
		`delay = "uniform(0, 2s)"`,
		`delay = "mix(70%: exponential(10ms), 30%: lognormal(p50=1s, sigma=0.7))"`,
		"delay = \"loguniform(1ms, 10s)\"\ncancel = { share = \"50%\", after = \"exponential(100ms)\" }\n" +
			"reset = { share = \"30%\", after = \"uniform(0%, 100%)\" }",
		"delay = \"levels(10ms, 5s)\"\ncancel = { after = \"exponential(1s)\" }",
	} {
		text := "name = 'x'\nlength = '1s'\ntick = '1ms'\n[[timers]]\narrivals = 'poisson(1k/s)'\ninitial = '1'\n" + lines
		p, err := Parse(strings.NewReader(text), "x.toml")
		require.NoError(t, err, lines)
		m := p.Mix()
		p.populations[0].initial = int(m.Pending + 0.5)
		// In every part of the first delays it is as in the long run.
		o := Options{Seed: 9, Scale: 200_000 / m.Schedules}
		for _, warm := range []time.Duration{1, 900 * time.Millisecond} {
			o.For = warm + 500*time.Millisecond
			checkRates(t, p, observation{o, warm})
			require.InEpsilon(t, m.Pending, p.Pending(o.For), 0.01)
		}
	}
}
