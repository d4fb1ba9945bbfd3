package tune

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"schedbench/workload"
)

func u2src(name string) Source {
	p, err := workload.Find(name)
	if err != nil {
		panic(err)
	}
	return Source{Name: name, Scalable: true, Open: func(o workload.Options) (workload.Stream, error) { return p.Stream(o) }}
}

func u2cal() *Calibration {
	var c Calibration
	b, _ := os.ReadFile("/tmp/u2/calibration.json")
	if err := json.Unmarshal(b, &c); err != nil {
		panic(err)
	}
	return &c
}

func TestU2Measure(t *testing.T) {
	if os.Getenv("U2M") == "" {
		t.Skip()
	}
	ctx := context.Background()
	c := u2cal()
	for _, name := range strings.Split(os.Getenv("U2M"), ",") {
		src := u2src(name)
		t0 := time.Now()
		l, err := LoadOfSource(src, workload.Options{}, LoadOptions{Warm: FindWarm})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("== %s: load in %v warm %v: sched %.0f reset %.0f cancel %.0f fires %.0f pending %.0f most %d\n", name, time.Since(t0), l.Warm, l.Schedules, l.Resets, l.Cancels, l.Fires, l.Pending, l.MostPending)
		st, err := NewStage(src, l, StageOptions{For: 3 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(st.Notes())
		t0 = time.Now()
		s, err := st.Stream(ctx)
		if err != nil {
			t.Fatal(err)
		}
		sl, err := LoadOf(s, LoadOptions{Name: name, Until: st.o.For})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("stage load in %v: sched %.0f reset %.0f cancel %.0f fires %.0f pending %.0f most %d\n", time.Since(t0), sl.Schedules, sl.Resets, sl.Cancels, sl.Fires, sl.Pending, sl.MostPending)
		configs := []Config{
			{Scheduler: hier, Tick: time.Millisecond, Slots: 256},
			{Scheduler: hier, Tick: time.Millisecond, Slots: 256, Precise: true},
			{Scheduler: heap, Precise: true},
			{Scheduler: rounds, Tick: 10 * time.Millisecond, Slots: 512, Ticking: true},
			{Scheduler: hier, Tick: 100 * time.Millisecond, Slots: 256, Ticking: true},
		}
		t0 = time.Now()
		ms, err := MeasureAll(ctx, st, configs, Requirements{}, nil)
		fmt.Println("took", time.Since(t0), err)
		m := NewModel(sl, c)
		for i, x := range ms {
			p := m.Predict(configs[i], Requirements{})
			fmt.Printf("%-50v cpu %.3f%% [%.3f %.3f] res %.3f  predicted %.3f%% [%.3f %.3f] (%+.0f%%) | p99 %.0f us [%.0f %.0f] predicted %.0f (%+.0f%%) | wakes %.0f predicted %.0f | fired %d\n", x.Config,
				100*x.CPU.Value, 100*x.CPU.Low, 100*x.CPU.High, 100*x.Resolution, 100*p.CPU.Value, 100*p.CPU.Low, 100*p.CPU.High, 100*(p.CPU.Value/x.CPU.Value-1), x.Lateness.Value*1e6, x.Lateness.Low*1e6, x.Lateness.High*1e6, p.Lateness.Value*1e6, 100*(p.Lateness.Value/x.Lateness.Value-1), x.Wakeups, p.Wakeups, x.Fired)
			fmt.Println("      ", func() (s string) {
				for k, v := range p.Parts {
					s += fmt.Sprintf("%s %.4f%% ", k, 100*v)
				}
				return
			}())
		}
	}
}
