package libraries

import (
	"sync/atomic"
	"time"

	"github.com/zeromicro/go-zero/core/collection"

	"schedbench/live"
)

const goZeroSlots = 300 // that go-zero gives the wheel of its cache

// goZero are timers of a collection.TimingWheel, each under a key of its own.
type goZero struct {
	wheel *collection.TimingWheel
	last  atomic.Uint64 // key
}

func openGoZero(tick time.Duration) (*goZero, error) {
	wheel, err := collection.NewTimingWheel(tick, goZeroSlots, func(_, value any) { value.(*keyed).run() })
	return &goZero{wheel: wheel}, err
}

// AfterFunc implements live.Timers. The wheel refuses a delay that is not positive, and gets its shortest instead.
func (z *goZero) AfterFunc(delay time.Duration, task func()) (live.Timer, error) {
	k := &keyed{of: z, key: z.last.Add(1), task: task}
	return k, z.wheel.SetTimer(k.key, k, max(delay, 1))
}

func (z *goZero) Close() error {
	z.wheel.Stop()
	return nil
}

// keyed is a timer. It decides itself whether its stop or its task came first: the wheel does not say.
type keyed struct {
	of   *goZero
	key  uint64
	task func()
	over atomic.Bool
}

func (k *keyed) run() {
	if k.over.CompareAndSwap(false, true) {
		k.task()
	}
}

// Reset gives a pending timer another delay, and reports whether it was.
func (k *keyed) Reset(delay time.Duration) bool {
	return !k.over.Load() && k.of.wheel.MoveTimer(k.key, max(delay, 1)) == nil
}

func (k *keyed) Stop() bool {
	if !k.over.CompareAndSwap(false, true) {
		return false
	}
	_ = k.of.wheel.RemoveTimer(k.key) // an error says that the wheel has ended
	return true
}
