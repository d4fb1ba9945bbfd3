package tune

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"schedbench/workload"
)

func TestU2Prove(t *testing.T) {
	if os.Getenv("U2P") == "" {
		t.Skip()
	}
	ctx := context.Background()
	t0 := time.Now()
	cd, err := LoadOrCalibrate(ctx, "/tmp/u2/cal", os.Getenv("REFIT") != "", nil)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("calibration", time.Since(t0), cd.Notice)
	req := Requirements{}
	if os.Getenv("TICK") != "" {
		req.MustTick = true
	}
	if os.Getenv("NOPRECISE") != "" {
		req.NotPrecise = true
	}
	for _, name := range strings.Split(os.Getenv("U2P"), ",") {
		src := u2src(name)
		t0 := time.Now()
		l, err := LoadOfSource(src, workload.Options{}, LoadOptions{Warm: FindWarm})
		if err != nil {
			t.Fatal(err)
		}
		t1 := time.Now()
		ch, err := Choose(l, cd.Calibration, req)
		if err != nil {
			t.Fatal(err)
		}
		t2 := time.Now()
		if ch.Pick == nil {
			fmt.Println(name, "infeasible", ch.Infeasible)
			continue
		}
		pf, err := ProveChoice(ctx, ch, cd.Calibration, src, ProveOptions{For: 6 * time.Second, Tries: -1})
		if err != nil {
			fmt.Println(name, "ERR", err)
			continue
		}
		fmt.Printf("== %s: load %v choose %v prove %v; %v limit p99 %v; pick %v\n", name, t1.Sub(t0).Round(time.Millisecond), t2.Sub(t1).Round(time.Millisecond), time.Since(t2).Round(time.Millisecond), pf.Notes, ch.Requirements.Lateness, ch.Pick.Config)
		for _, r := range pf.Runs {
			x, p := r.Measured, r.Prediction
			fmt.Printf("  %-50v cpu %.3f%% [%.3f %.3f] res %.3f predicted %.3f%% [%.3f %.3f] (%+.0f%%) | p99 %.0f us [%.0f %.0f] pred %.0f (%+.0f%%) | wakes %.0f pred %.0f | fired %d | %s\n", x.Config,
				100*x.CPU.Value, 100*x.CPU.Low, 100*x.CPU.High, 100*x.Resolution, 100*p.CPU.Value, 100*p.CPU.Low, 100*p.CPU.High, 100*r.Verdict.CPUError, x.Lateness.Value*1e6, x.Lateness.Low*1e6, x.Lateness.High*1e6, p.Lateness.Value*1e6, 100*r.Verdict.LatenessError, x.Wakeups, p.Wakeups, x.Fired, r.Verdict.Why)
			fmt.Print("       ")
			for k, v := range p.Parts {
				if v > 0 {
					fmt.Printf("%s %.4f%% (%.0f) ", k, 100*v, p.Counts[k])
				}
			}
			fmt.Println()
		}
	}
}
