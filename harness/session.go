package harness

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"schedbench/driver"
)

// session is one run of a plan.
type session struct {
	ctx  context.Context
	plan *Plan
}

// random returns the source of randomness of a cell. It depends on the seed and
// the cell alone, so that every contestant, and every run, gets the same.
func (s *session) random(cell string) *rand.Rand {
	h := uint64(14695981039346656037) // FNV-1a
	for _, b := range []byte(cell) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return rand.New(rand.NewPCG(s.plan.Seed, h))
}

// closeDriver closes a driver that has no task worth waiting for.
func closeDriver(d *driver.Driver) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, err := d.Close(ctx)
	return err
}

// startDriver starts a driver over a scheduler of the contestant.
func startDriver(c Contestant, g Geometry, opts ...driver.Option) (*driver.Driver, error) {
	d, err := c.Start(g, opts...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	return d, nil
}
