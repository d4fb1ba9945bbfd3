package sleeper_test

import (
	"testing"
	"testing/synctest"
	"time"

	"example.com/ownscheduler/sleeper"
)

func TestFunctionsRunOnTimeUnlessTheyAreStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := sleeper.New()
		start, ran := time.Now(), ""
		for _, one := range []struct {
			name  string
			after time.Duration
		}{{"c", 3 * time.Second}, {"a", time.Second}, {"b", 2 * time.Second}} {
			_, err := d.AfterFunc(one.after, func() {
				ran += one.name
				if late := time.Since(start) - one.after; late != 0 {
					t.Errorf("%s is late by %v", one.name, late)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		stopped, _ := d.AfterFunc(2*time.Second, func() { ran += "x" })
		if !stopped.Stop() || stopped.Stop() {
			t.Error("Stop is true once")
		}
		time.Sleep(time.Minute)
		if ran != "abc" {
			t.Errorf("%q ran, want abc", ran)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := d.AfterFunc(0, func() {}); err != sleeper.ErrClosed {
			t.Errorf("AfterFunc after Close: %v", err)
		}
	})
}
