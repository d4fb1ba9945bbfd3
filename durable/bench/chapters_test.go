package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/internal/report"
	"schedbench/internal/words"
)

// takes are made-up figures: of each unit, what a contestant takes of it. Others take nothing.
type takes map[string]map[string]float64

func typical() takes {
	return takes{
		ScheduleNs:           {catalog.Hier: 200, durableName: 20e3, durableFull: 280e3, durablePgNo: 150e3, durablePg: 300e3, "river": 600e3, "asynq": 40e3},
		ResetNs:              {catalog.Hier: 150, durableName: 22e3},
		BytesPerTimer:        {catalog.Hier: 60, durableName: 120, "asynq": 500},
		ReadyNs:              {durableName: 30e6, "asynq": 20e6},
		rundata.P99Late:      {catalog.Hier: 1.1e6, durableName: 1.15e6, "river": 900e6, "asynq": 4.9e9, durablePg: 1.15e6},
		rundata.CPUPerSecond: {catalog.Hier: 1e6, rundata.ProcessControl: 1e6, durableName: 1.1e6, "river": 30e6, "asynq": 20e6, durablePg: 1.4e6},
	}
}

// data makes a run of the plan with them, in so many blocks that scatter.
func (of takes) data(t *testing.T, blocks int, scatter float64) *rundata.Data {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 4))
	d := &rundata.Data{Complete: true, Env: map[string]string{"cpu": "a machine"}}
	units := map[string][]string{
		callsExperiment: {ScheduleNs, ResetNs, BytesPerTimer, ReadyNs}, idleExperiment: {rundata.CPUPerSecond},
		liveExperiment: {rundata.P99Late}, pollExperiment: {rundata.P99Late, rundata.CPUPerSecond},
	}
	m := &measuring{sizes: must.Get(sized(t))(t).sizes, contestants: contestants()}
	for _, cell := range m.plan().Custom {
		for _, turn := range cell.Participants {
			s := &rundata.Series{Experiment: cell.Experiment, Params: turn.Params, Values: map[string][]float64{}}
			for _, unit := range units[s.Experiment] {
				v := of[unit][s.Get("impl")]
				if unit == rundata.P99Late && s.Get("interval") != "" {
					v = float64(must.Get(time.ParseDuration(s.Get("interval")))(t))
				}
				for range blocks {
					if v > 0 {
						s.Values[unit] = append(s.Values[unit], v*math.Exp(scatter*r.NormFloat64()))
					}
				}
			}
			s.Iterations = slices.Repeat([]int{1}, blocks)
			if v := s.Values[rundata.P99Late]; v != nil {
				for unit, n := range map[string]float64{rundata.Fired: 1000, rundata.Early: 0, rundata.Lost: 0, rundata.Doubled: 0} {
					s.Values[unit] = slices.Repeat([]float64{n}, blocks)
				}
				s.Late, s.Early = hdrhistogram.New(1, int64(time.Minute), 3), hdrhistogram.New(1, int64(time.Minute), 3)
				require.NoError(t, s.Late.RecordValue(int64(min(v[0], 10e9))))
			}
			d.Series = append(d.Series, s)
		}
	}
	return d
}

func said(d *rundata.Data) string {
	return strings.Join(report.Judge(d, report.Options{Chapters: chapters()}).Verdict(), "\n")
}

func TestWhatIsSaidFollowsFromTheData(t *testing.T) {
	lines := said(typical().data(t, 6, 0.002))
	for _, want := range []string{ // figures scatter by two in a thousand
		`Schedule: durable-sqlite leads with 1k, 10k, 100k and 1M held`,
		`durable-sqlite compared with hierwheel: schedule with 1M held, (99|100)[.\d]*× \(.*; reset with 1M held, 14[67]× \(.*; bytes of a timer with 1M held, (1.99|2|2.01)× \(`,
		`durable-sqlite-full compared with durable-sqlite: schedule with 1M held, (13.9|14|14.1)× \(`,
		`durable-postgres compared with river: schedule with 100k held, 0\.(49\d|50\d|5)× \(`,
		`durable-sqlite compared with asynq: schedule with 100k held, 0\.(49\d|50\d|5)× \(.*; ready with 100k held, 1.5× \(`,
		`Ready: asynq leads with 1k, 10k and 100k held`, `4 were not measured`,
		`Lateness, 99th percentile: durable-postgres and durable-sqlite differ by too little to notice, at 100 and 2k timers a second`,
		`durable-sqlite compared with hierwheel: lateness, 99th percentile at 2k timers a second, as late \(`,
		`durable-sqlite compared with process: CPU while nothing is due with 100k held, as much \(`,
		`Every one of .* timers fired once and not early\.`,
		`with a poll each 10ms, 100ms, 1s and 5s, and the next \(river\) takes 8\.[67]\d?× to 43\d\d× as late`,
	} {
		require.Regexp(t, want, lines)
	}
	for _, not := range []string{"WRONG", "unclear (", "no interval", "Cancel:", "hierwheel leads"} {
		require.NotContains(t, lines, not)
	}
}

func TestWhatTheDataDoNotShowIsNotSaid(t *testing.T) {
	d := typical().data(t, 6, 0.002)
	d.Select(liveExperiment, "impl=river")[0].Values[rundata.Lost][0] = 3
	require.Contains(t, said(d), "The answers are WRONG")
	require.Contains(t, said(d), "river (durablelive 100)")
	require.Error(t, report.Judge(d, report.Options{}).WrongAnswers())

	worse := typical()
	worse[rundata.P99Late][durableName], worse[rundata.CPUPerSecond][durableName] = 3e6, 50e6
	lines := said(worse.data(t, 6, 0.002))
	require.Regexp(t, `durable-sqlite compared with hierwheel: lateness, 99th percentile at 2k timers a second, 2\.7\d?× \(`, lines)
	require.Regexp(t, `durable-sqlite compared with process: CPU while nothing is due with 100k held, (49\.\d|50(\.\d)?)× \(`, lines)
	require.Empty(t, said(&rundata.Data{Complete: true}))
}

func TestChartsAreDrawnOfEveryQuestion(t *testing.T) {
	d := typical().data(t, 3, 0.01)
	files := must.Get(report.Judge(d, report.Options{Chapters: chapters()}).Charts(t.TempDir()))(t)
	var b strings.Builder
	require.NoError(t, report.Judge(d, report.Options{Chapters: chapters()}).Tables(&b))
	for _, q := range chapters() {
		require.Contains(t, files, q.Name+".png")
		require.Contains(t, b.String(), q.Title)
	}
	require.Regexp(t, words.Count(1e6)+` +2\d\.\d µs`, b.String())
}
