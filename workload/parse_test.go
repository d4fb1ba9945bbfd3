package workload

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

const minimal = `name = "x"
length = "1s"
tick = "1ms"
[[timers]]
arrivals = "poisson(1k/s)"
`

const oneSecond = minimal + "delay = '1s'\n"

// What is wrong is said with file, line and key, and with the value that is.
func TestParseErrors(t *testing.T) {
	fixed3 := strings.Replace(minimal, "poisson(1k/s)", "fixed(3, over=1s)", 1)
	for _, c := range []struct{ text, want string }{
		{"", "x.toml:1: name: is missing"},
		{"name = \"x\"\nlength = \"1s\"", "x.toml:1: tick: is missing"},
		{"name = \"x\"\ntick = \"1ms\"\nlength = \"0\"", "x.toml:3: length: must be more than 0"},
		{"name = \"x\"\nlength = \"101y\"", `x.toml:2: length: "101y" is longer than 100 years`},
		{"name = \"x\"\nlength = \"1s\"\ntick = \"-1ms\"", `x.toml:3: tick: "-1ms" is not a duration`},
		{"name = \"x\"\nlength = \"1s\"\ntick = \"1ms\"", "x.toml:1: timers: 0 blocks of timers; want 1 to 64"},
		{"name = \"x\"\nlenght = \"1s\"", "x.toml:2: unknown key lenght; want one of about, choices, length, name, source, tick, timers"},
		{oneSecond + "initial = 50000", `x.toml:7: timers.initial: found 50000, want text such as "50k"`},
		{minimal + "delay = 30", `x.toml:6: timers.delay: found 30, want text such as "30s"`},
		{oneSecond + "cancel = \"50%\"", `x.toml:7: timers.cancel: found "50%", want a table such as { share = "90%"`},
		{oneSecond + "[timers.cancel]\nshare = 0.5", `x.toml:8: timers.cancel.share: found 0.5, want text such as "90%"`},
		{oneSecond + "initail = \"5\"", "x.toml:7: unknown key timers.initail; want one of arrivals, backoff, cancel, delay, initial, name, period, reset"},
		{"name = true", `x.toml:1: name: found true, want text such as "my-workload"`},
		{"name = ", "x.toml:1: "},
		{"name = \"x\"\nname = \"y\"", "x.toml:2: "},
		{minimal, "x.toml:4: timers[0].delay: is missing"},
		{oneSecond + "[[timers]]\ndelay = '1s'", "x.toml:7: timers[1].arrivals: is missing"},
		{minimal + `delay = "1x"`, `x.toml:6: timers[0].delay: "1x" is not a duration: want numbers with the units ns, us`},
		{minimal + `delay = "10%"`, "timers[0].delay: percentages of the delay have no place here"},
		{minimal + `delay = "uniform(2s, 1s)"`, "x.toml:6: timers[0].delay: uniform: min must be less than max"},
		{minimal + `delay = "uniform(1s"`, "uniform: a comma or a closing parenthesis is due"},
		{minimal + `delay = "uniform(1s, 2s) x"`, `"x" is left over`},
		{minimal + `delay = "uniform(1s, 2s, 3s)"`, "3s is one argument too many"},
		{minimal + `delay = "uniform(1s, 2s, mode=3s)"`, "mode= is unknown here"},
		{minimal + `delay = "uniform(1s, 3: 2s)"`, "max is missing"},
		{minimal + `delay = "uniform(1s,)"`, "a name or a value is due before"},
		{minimal + `delay = "uniform(1s, "`, "ends where a name or a value is due"},
		{minimal + `delay = "uniform(constant(1s), 2s)"`, "constant(...) stands where a duration is due"},
		{minimal + `delay = "normal(1s)"`, "normal: unknown distribution; there are constant, uniform"},
		{minimal + `delay = "loguniform(0, 1s)"`, "loguniform: min must be more than 0"},
		{minimal + `delay = "exponential(0)"`, "mean must be more than 0"},
		{minimal + `delay = "exponential(1s, max=1us)"`, "max leaves less than 0.1 %"},
		{minimal + `delay = "lognormal(p50=1s)"`, "want two quantiles"},
		{minimal + `delay = "lognormal(p50=1s, p50=500ms)"`, "sigma is -Inf"},
		{minimal + `delay = "lognormal(p50=1s, p100=500ms)"`, "p100 is not a quantile"},
		{minimal + `delay = "lognormal(p50=0, p90=500ms)"`, "p50 must be more than 0"},
		{minimal + `delay = "lognormal(median=1s, sigma=NaN)"`, `"NaN" is not a number`},
		{minimal + `delay = "lognormal(median=1s, sigma=6)"`, "sigma is 6; it must be more than 0 and at most 5"},
		{minimal + `delay = "levels()"`, "nothing to choose from"},
		{minimal + `delay = "levels(1: 1s, 2s)"`, "give all of them a weight, or none"},
		{minimal + `delay = "levels(0: 1s, 1: 2s)"`, `"0" is not a weight from 1e-6 to 1e9`},
		{minimal + `delay = "levels(1e400: 1s, 1: 2s)"`, `"1e400" is not a weight`},
		{minimal + `delay = "mix(1s, 10%)"`, "percentages of the delay and durations are mixed"},
		{minimal + "delay = \"" + strings.Repeat("mix(", 20) + "1s" + strings.Repeat(")", 20) + "\"", "more than 8 levels of parentheses"},
		{minimal + "delay = \"mix(" + strings.Repeat("1s,", 70) + "1s)\"", "more than 64 distributions in one"},
		{minimal + "delay = \"levels(" + strings.Repeat("1s,", 2000) + "1s)\"", "more than 1024 names and values"},
		{oneSecond + "period = '1s'", "x.toml:7: timers[0].period: a timer has a delay or a period, not both"},
		{minimal + `period = "1s"`, "needs fixed arrivals, not with poisson(1k/s)"},
		{oneSecond + "cancel = { share = '2', after = '1ms' }", "x.toml:7: timers[0].cancel.share: 2 is more than 100%"},
		{oneSecond + "[timers.cancel]\nshare = 'x'", `x.toml:8: timers[0].cancel.share: "x" is not a share such as 88% or 0.88`},
		{oneSecond + "[timers.cancel]\nshare = '1%'", "x.toml:7: timers[0].cancel.after: is missing"},
		{oneSecond + "cancel = { after = '10%' }", "percentages of the delay have no place here"},
		{oneSecond + "cancel = { after = '1ms', times = 2 }", "cancel has no times"},
		{oneSecond + "reset = { after = '1ms', times = -2 }", "-2 is not a number from 1 to 65535"},
		{oneSecond + "cancel = { share = '9%', after = '2s' }",
			"x.toml:7: timers[0].cancel.after: 2s is never before the deadline of a delay of 1s, so the share of 9% cannot be met"},
		{oneSecond + "reset = { share = '9%', after = '100%' }", "so the share of 9% cannot be met"},
		{oneSecond + "reset = { share = '9%', after = '1ms' }\ncancel = { after = '1ms' }",
			"give both cancel and reset a share, or neither"},
		{oneSecond + "reset = { share = '60%', after = '1ms' }\ncancel = { share = '60%', after = '1ms' }",
			"and reset, 60 %, add up to 120 %, want at most 100 %"},
		{oneSecond + "reset = { share = '100%', after = '1ms' }",
			"x.toml:5: timers[0].arrivals: new timers come by poisson(1k/s), but none ever ends"},
		{oneSecond + "reset = { after = '1ms' }", "but none ever ends"},
		{fixed3 + `period = "0"`, "operations per second; at most 1e+09 are allowed"},
		{strings.Replace(minimal, "poisson(1k/s)", "fixed(10M, over=1s)", 1) + `delay = "1ms"`, "1e+10 operations per second"},
		{fixed3 + "period = \"1s\"\nreset = { after = \"0\" }", "cannot be combined with cancel, reset or backoff"},
		{oneSecond + "backoff = { factor = 1, max = '9s', again = '1%' }", "backoff.factor: 1 is not a factor from 1.01"},
		{oneSecond + "backoff = { factor = nan, max = '9s', again = '1%' }", "NaN is not a factor"},
		{minimal + "delay = \"uniform(1s, 2s)\"\nbackoff = { factor = 2 }", "needs a constant delay"},
		{oneSecond + "backoff = { factor = 2 }", "needs a cancel or a reset that has a share"},
		{oneSecond + "cancel = { share = '1%', after = '0' }\nbackoff = { factor = 2, max = '1s', again = '1%' }",
			"x.toml:8: timers[0].backoff.max: 1s and a delay of 1s: want a max longer than the delay"},
		{oneSecond + "cancel = { share = '1%', after = '0' }\nbackoff = { factor = 2, max = '2s', again = '100%' }",
			`backoff.again: "100%" is not a share of at most 99%`},
		{oneSecond + "reset = { share = '1%', after = '0', times = 1 }\nbackoff = { factor = 2, max = '2s', again = '1%' }",
			"cannot be combined with reset.times"},
		{oneSecond + "initial = '-3'", `timers[0].initial: "-3" is not a number`},
		{oneSecond + "initial = '1.5'", "1.5 is not a whole number from 1 to 10M"},
		{oneSecond + "initial = '11M'", "11M is not a whole number from 1 to 10M"},
		{minimal + "delay = \"1h\"\ncancel = { after = \"1ms\" }\ninitial = \"3\"", "pending for 2.8e-07 of their delay only"},
		{minimal + "delay = \"0\"\ninitial = \"3\"", "needs delays of at least 1us on average"},
		{minimal + "delay = \"1h\"\nreset = { after = \"1ms\", times = 1 }\ninitial = \"3\"", "cannot be combined with reset.times or backoff"},
		{fixed3 + "delay = \"1s\"\ninitial = \"3\"", "cannot be combined with fixed arrivals"},
	} {
		_, err := Parse(strings.NewReader(c.text), "x.toml")
		var parse *ParseError
		require.ErrorAs(t, err, &parse, c.text)
		require.ErrorContains(t, err, c.want, c.text)
		require.Positive(t, parse.Line)
	}
}

func TestArrivalErrors(t *testing.T) {
	for text, want := range map[string]string{
		"often":                      `"often" are unknown arrivals; there are poisson, paced, bursts and fixed`,
		"poisson()":                  "a rate such as 10k/s is missing",
		"poisson(10k)":               `"10k" is not a rate such as 10k/s or 3/min`,
		"poisson(x/s)":               `"x" is not a number`,
		"poisson(0/s)":               "0/s is not a rate from 1e-9/s to 1000M/s",
		"paced(2000M/s)":             "2000M/s is not a rate",
		"paced(1/s, 2/s)":            "2/s is one argument too many",
		"bursts(5)":                  "every= is missing",
		"bursts(5, every=0)":         "every must be more than 0",
		"bursts(every=1s)":           "how many is missing",
		"fixed(0, over=1s)":          "0 is not a whole number from 1 to 10M",
		"fixed(11M, over=1s)":        "11M is not a whole number",
		"fixed(5, over=1s, over=2s)": "over= is unknown here, or given twice",
		"fixed(5, every=1s)":         "over= is missing",
	} {
		_, err := buildArrivals(text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "1ns": 1, "20us": 20 * time.Microsecond, "20µs": 20 * time.Microsecond, "1.5ms": 1_500_000,
		"1h30m": 90 * time.Minute, "3min": 3 * time.Minute, "2d": 48 * time.Hour, "1y": 365 * 24 * time.Hour,
		"100y": maxDuration, "1_000s": 1000 * time.Second, ".5s": time.Second / 2,
	} {
		d, err := parseDuration(text)
		require.NoError(t, err, text)
		require.Equal(t, want, d, text)
	}
	for _, text := range []string{"", "s", "1", "-1s", "1s2", "NaN", "Infs", "1e9s", "1..2s", "1 s", "1month",
		"100y1s", strings.Repeat("9", 400) + "s"} {
		_, err := parseDuration(text)
		require.Error(t, err, text)
	}
}

// A profile that does not end, or cannot be read, is refused as well.
func TestParseReaders(t *testing.T) {
	broken := errors.New("broken")
	long := strings.NewReader(strings.Repeat("x", maxProfileBytes+1))
	_, err := Parse(io.MultiReader(long, iotest.ErrReader(broken)), "x.toml")
	require.ErrorContains(t, err, "x.toml:1: longer than 262144 bytes", "and nothing after these is read")
	_, err = Parse(iotest.ErrReader(broken), "x.toml")
	require.ErrorIs(t, err, broken)
}

// parseAny: whatever is in a file, it is a profile that has a sound stream, or an error that names file and line.
func parseAny(t require.TestingT, text string, o Options) {
	p, err := Parse(strings.NewReader(text), "any.toml")
	if err != nil {
		var parse *ParseError
		require.ErrorAs(t, err, &parse)
		require.True(t, strings.HasPrefix(err.Error(), fmt.Sprintf("any.toml:%d: ", parse.Line)))
		require.LessOrEqual(t, parse.Line, strings.Count(text, "\n")+1)
		return
	}
	require.NotEmpty(t, p.Describe())
	s, err := p.Stream(o)
	if err != nil {
		return
	}
	c := newChecker(0, p.Length())
	require.NoError(t, c.check(s, 20_000), text)
	require.LessOrEqual(t, c.longest, p.Horizon())
}

func FuzzParse(f *testing.F) {
	for _, name := range builtin() {
		f.Add(string(must.Get(files.ReadFile("profiles/" + name + ".toml"))(f)))
	}
	f.Add(minimal + "delay = \"mix(3: 1s, 1: lognormal(p50=1ms, sigma=2, max=1h))\"\n[timers.reset]\nafter = \"1ms\"\ntimes = 3")
	f.Add(minimal + "delay = \"mix(97: 1ns, 3: 1y)\"\ncancel.share = \"3%\"\ncancel.after = \"uniform(0%, 1%)\"")
	f.Fuzz(func(t *testing.T, text string) { parseAny(t, text, Options{Seed: 1, Scale: 0.001}) })
}

// FuzzDistribution: whatever stands for a distribution is one that keeps to itself, or an error.
func FuzzDistribution(f *testing.F) {
	for text := range distributions(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDistribution(text)
		if err != nil {
			return
		}
		require.GreaterOrEqual(t, least(d.law), 0.0)
		require.LessOrEqual(t, greatest(d.law), float64(maxDuration))
		last := least(d.law)
		for i := range 11 {
			x := d.law.quantile(float64(i) / 10)
			require.GreaterOrEqual(t, x, last)
			require.GreaterOrEqual(t, d.law.cdf(x*(1+1e-9)), float64(i)/10-1e-6)
			last = x
		}
		r := random(1, 0)
		for range 100 {
			x := d.law.sample(r)
			require.True(t, x >= least(d.law) && x <= greatest(d.law), "%v is not from %v to %v", x, least(d.law), greatest(d.law))
		}
		require.True(t, mean(d.law) >= least(d.law)*(1-1e-9) && mean(d.law) <= greatest(d.law)*(1+1e-9))
	})
}
