package workload

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

// distributions has each law at least once, with what stands for it in a file.
func distributions(t testing.TB) map[string]Distribution {
	all := map[string]Distribution{}
	for _, text := range []string{
		"5m",
		"constant(100ms)",
		"uniform(0, 1s)",
		"uniform(20us, 10ms)",
		"uniform(0%, 100%)",
		"loguniform(1s, 1h)",
		"exponential(5ms)",
		"exponential(mean=5ms, max=6ms)",
		"exponential(5m, min=1s, max=1h)",
		"exponential(5ms, max=500us)",
		"exponential(10y)",
		"lognormal(p50=20ms, p75=50ms)",
		"lognormal(median=1s, sigma=0.5, max=1.5s)",
		"lognormal(p99=1s, sigma=2)",
		"levels(1s, 5s, 10s, 30s, 1m, 2m, 3m, 4m, 5m, 6m, 7m, 8m, 9m, 10m, 20m, 30m, 1h, 2h)",
		"levels(3: 1s, 1: 5s, 2: 100ms)",
		"mix(90%: loguniform(1m, 10m), 9%: loguniform(1h, 24h), 1%: 1y)",
		"mix(exponential(1ms), mix(1: 2ms, 3: uniform(1ms, 3ms)))",
		"mix(80%: lognormal(p50=1ms, sigma=0.3), 20%: uniform(80ms, 100ms))",
	} {
		all[text] = parsed(t, text)
	}
	return all
}

func parsed(t testing.TB, text string) Distribution {
	t.Helper()
	d, err := ParseDistribution(text)
	require.NoError(t, err, text)
	return d
}

// distance is the Kolmogorov-Smirnov statistic of a sample, on both sides of every value.
func distance(sample []float64, cdf func(x float64) float64) (worst float64) {
	slices.Sort(sample)
	n := float64(len(sample))
	for i := 0; i < len(sample); {
		k := i + 1
		for k < len(sample) && sample[k] == sample[i] {
			k++
		}
		before := cdf(math.Nextafter(sample[i], -1))
		worst = max(worst, math.Abs(cdf(sample[i])-float64(k)/n), math.Abs(before-float64(i)/n))
		i = k
	}
	return worst
}

// critical is what the statistic of n values exceeds once in a thousand times (A. Kolmogorov's limit, 1933).
func critical(n int) float64 { return 1.949 / math.Sqrt(float64(n)) }

const sampled = 200_000

func draw(sample sampler, r *rand.Rand, n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = sample(r)
	}
	return values
}

// What is drawn has the distribution that is claimed, and nothing is drawn beyond its bounds.
func TestSamplesFollowTheirLaw(t *testing.T) {
	for text, d := range distributions(t) {
		sample := draw(d.law.sample, random(42, 0), sampled)
		require.Less(t, distance(sample, d.law.cdf), critical(sampled), text)
		require.GreaterOrEqual(t, sample[0], least(d.law), text)
		require.LessOrEqual(t, sample[len(sample)-1], greatest(d.law), text)
	}
}

// The check finds an error of 2 % in the mean.
func TestDistanceFindsAnotherLaw(t *testing.T) {
	sample := draw(exponential{mu: 5.1e6}.sample, random(42, 0), sampled)
	require.Greater(t, distance(sample, exponential{mu: 5e6}.cdf), critical(sampled))
}

// Quantile is the inverse of CDF: the least value whose CDF is no less.
func TestQuantileInvertsCDF(t *testing.T) {
	for text, d := range distributions(t) {
		for i := range 1001 {
			p := float64(i) / 1000
			x := d.law.quantile(p)
			require.GreaterOrEqual(t, d.law.cdf(x*(1+1e-12)), p-1e-9, "%s at %v", text, p)
			if below := x * (1 - 1e-6); below >= least(d.law) && p > 0 {
				require.LessOrEqual(t, d.law.cdf(below), p, "%s at %v", text, p)
			}
		}
		require.Zero(t, d.law.cdf(-1), text)
		require.Equal(t, 1.0, d.law.cdf(math.Inf(1)), text)
	}
}

// The partial mean is that of the quantiles, summed in steps that become shorter towards the long ones.
func TestPartialMeans(t *testing.T) {
	const steps = 5_000
	for text, d := range distributions(t) {
		for _, p := range []float64{0.1, 0.5, 0.9, 1} {
			x, sum := d.law.quantile(p), 0.0
			for i := range steps {
				rest := 1 - (float64(i)+0.5)/steps
				if q := d.law.quantile(1 - math.Pow(rest, 4)); q <= x {
					sum += q * 4 * math.Pow(rest, 3) / steps
				}
			}
			require.InEpsilon(t, sum, d.law.partial(x), 2e-3, "%s up to %v", text, p)
		}
		require.InEpsilon(t, d.law.partial(greatest(d.law)), mean(d.law), 1e-12, text)
	}
}

// The CDF of pending delays at x is the part of the mean that values up to x contribute.
func TestLengthBiased(t *testing.T) {
	for text, d := range distributions(t) {
		sample := draw(lengthBiased(d.law), rand.New(rand.NewPCG(1, 2)), sampled/4)
		cdf := func(x float64) float64 { return d.law.partial(x) / mean(d.law) }
		require.Less(t, distance(sample, cdf), critical(len(sample)), text)
	}
}

// A time to cancel is drawn under the condition that it is before the deadline, also when that is unlikely.
func TestDrawBelowIsConditional(t *testing.T) {
	for text, delay := range map[string]time.Duration{
		"exponential(5ms)":              3 * time.Millisecond,
		"lognormal(p50=20ms, p75=50ms)": 100 * time.Millisecond,
		"uniform(0, 1m)":                100 * time.Millisecond,
		"levels(1s, 5s, 10s)":           6 * time.Second,
		"uniform(0%, 100%)":             time.Second,
		"exponential(10%)":              time.Second,
	} {
		d := parsed(t, text)
		scale := d.scale(float64(delay))
		r := random(7, 0)
		sample := make([]float64, sampled/4)
		sum := 0.0
		for i := range sample {
			after, ok := d.drawBelow(r, int64(delay))
			require.True(t, ok)
			require.Less(t, after, int64(delay))
			sample[i] = float64(after)
			sum += sample[i]
		}
		before := math.Nextafter(float64(delay)/scale, 0)
		cdf := func(x float64) float64 { return min(1, d.law.cdf(x/scale)/d.law.cdf(before)) }
		require.Less(t, distance(sample, cdf), critical(len(sample)), text)
		require.InEpsilon(t, d.meanBelow(float64(delay), math.Inf(1)), sum/float64(len(sample)), 0.01, text)
	}
}

func TestDrawBelowNothing(t *testing.T) {
	d := parsed(t, "exponential(5ms)")
	_, ok := d.drawBelow(random(1, 0), 0)
	require.False(t, ok)
	after, ok := d.drawBelow(random(1, 0), 1)
	require.True(t, ok)
	require.Zero(t, after)
}

func TestDistributionInDurations(t *testing.T) {
	d := parsed(t, "uniform(1s, 3s)")
	require.Equal(t, time.Second, d.Min())
	require.Equal(t, 2*time.Second, d.Quantile(0.5))
	require.Equal(t, 2*time.Second, d.Mean())
	require.Equal(t, 3*time.Second, d.Max())
	require.Equal(t, 3*time.Second, d.Quantile(7))
	require.Equal(t, 0.25, d.law.cdf(1.5e9))
	require.Equal(t, "uniform(1s, 3s)", d.String())
	r := random(1, 1)
	require.Zero(t, testing.AllocsPerRun(100, func() { d.Sample(r) }))
}

func arrivalsOf(t *testing.T, text string) arrivals { return must.Get(buildArrivals(text))(t) }

func arriving(t *testing.T, text string, within time.Duration) (at []float64) {
	for v := newArriver(arrivalsOf(t, text), random(3, 0), int64(within)); v.at != never; v.next() {
		at = append(at, float64(v.at))
	}
	return at
}

// Times between Poisson arrivals are exponential. Rounding to nanoseconds does not change their mean.
func TestPoisson(t *testing.T) {
	at := arriving(t, "poisson(10k/s)", 20*time.Second)
	require.InEpsilon(t, 200_000, len(at), 0.01)
	var gaps []float64
	for i := 1; i < len(at); i++ {
		gaps = append(gaps, at[i]-at[i-1])
	}
	require.Less(t, distance(gaps, exponential{mu: 1e5}.cdf), critical(len(at)))
	require.InEpsilon(t, 1_000_000, len(arriving(t, "poisson(1000M/s)", time.Millisecond)), 0.01)
}

// Paced arrivals keep their rate to the nanosecond in the long run, and each its distance.
func TestPaced(t *testing.T) {
	at := arriving(t, "paced(300k/s)", time.Second)
	require.Len(t, at, 299_999)
	for i, x := range at {
		require.LessOrEqual(t, math.Abs(x-float64(i+1)*1e9/300_000), 1.0)
	}
}

func TestBursts(t *testing.T) {
	require.Equal(t, []float64{0, 0, 0, 1e6, 1e6, 1e6}, arriving(t, "bursts(3, every=1ms)", 2*time.Millisecond))
}

// A fixed number is started at independent instants, evenly likely.
func TestFixed(t *testing.T) {
	at := arriving(t, "fixed(100k, over=1s)", time.Minute)
	require.Len(t, at, 100_000)
	require.IsNonDecreasing(t, at)
	require.Less(t, distance(at, uniform{0, 1e9}.cdf), critical(len(at)))
	require.Equal(t, []float64{0, 0, 0}, arriving(t, "fixed(3, over=0)", time.Second))
	require.Less(t, len(arriving(t, "fixed(100k, over=1s)", time.Millisecond)), 200)
}

func TestScaledArrivals(t *testing.T) {
	for text, want := range map[string]float64{"poisson(10k/s)": 5000, "paced(60/min)": 0.5, "bursts(10, every=2s)": 2.5} {
		require.InEpsilon(t, want, arrivalsOf(t, text).scaled(0.5).perSecond(), 1e-12, text)
	}
	require.Equal(t, 1, arrivalsOf(t, "fixed(10, over=1s)").scaled(1e-9).count, "one at least")
}
