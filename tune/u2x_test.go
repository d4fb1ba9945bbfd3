package tune

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"
)

func TestU2Calibrate(t *testing.T) {
	if os.Getenv("U2") == "" {
		t.Skip()
	}
	last := time.Now()
	name := ""
	c, err := Calibrate(context.Background(), func(s string, d, n int) {
		fmt.Println(name, time.Since(last))
		last, name = time.Now(), s
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range c.Terms {
		fmt.Printf("%-12s %-12s every %-6v n %-8d batch %-4d %10.1f ns  [%.1f %.1f] residual %.0f%%\n", x.Name, x.Of, x.Every, x.Pending, x.Batch, x.Seconds.Value*1e9, x.Seconds.Low*1e9, x.Seconds.High*1e9, 100*x.Residual)
	}
	for w, q := range c.Latency {
		fmt.Println(w, q[0]*1e6, q[100]*1e6, q[250]*1e6, q[500]*1e6, q[900]*1e6, q[990]*1e6, q[999]*1e6, q[1000]*1e6)
	}
	j, _ := json.Marshal(c)
	os.WriteFile("/tmp/u2/calibration.json", j, 0o644)
}
