package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"schedbench/clock"
	"schedbench/driver"
	"schedbench/heapsched"
	"schedbench/workload/trace"
)

func TestWhatTheServerAsksIsRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "http.trace.gz")
	if err := run(300*time.Millisecond, 3, path); err != nil {
		t.Fatal(err)
	}
	file, err := trace.Open(path, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := trace.Summarize(file)
	if err != nil || info.Schedules == 0 || info.Cancels == 0 || info.Fires == 0 {
		t.Fatal(info.Schedules, info.Cancels, info.Fires, err)
	}
}

func TestCountsAreShown(t *testing.T) {
	d, err := driver.Start(heapsched.New[driver.Task]())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close(context.Background())
	h := handler(clock.Over(d), func() driver.Stats { return driver.Stats{Fired: 7, LatenessWorst: time.Second} })
	for path, wants := range map[string][]string{
		"/metrics":    {"timers_fired_total 7", "timer_lateness_worst_seconds 1"},
		"/debug/vars": {`"Fired":7`, `"LatenessWorst":1000000000`},
	} {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		text, _ := io.ReadAll(answer.Body)
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s, want %s: %s", path, want, text)
			}
		}
	}
}
