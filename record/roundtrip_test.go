package record

import (
	"context"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/hierwheel"
	"schedbench/internal/must"
	"schedbench/internal/replay"
	"schedbench/workload"
	"schedbench/workload/trace"
	"schedbench/workload/workloadtest"
)

// A program is recorded live, and its trace read again: it asks for as many operations, and what replays it fires the same
// timers.
func TestWhatIsRecordedCanBeReplayed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.trace.gz")
	var did program
	synctest.Test(t, func(t *testing.T) { did = recordProgram(t, path) })

	file := must.Get(trace.Open(path, trace.Options{}))(t)
	info := must.Get(trace.Summarize(file))(t)
	require.NoError(t, file.Close())
	require.EqualValues(t, did.schedules, info.Schedules)
	require.EqualValues(t, did.resets, info.Resets)
	require.EqualValues(t, did.cancels, info.Cancels)
	require.EqualValues(t, did.fires, info.Fires)
	require.Zero(t, info.Unseen)
	require.Zero(t, info.Superseded)

	file = must.Get(trace.Open(path, trace.Options{}))(t)
	read := must.Get(workloadtest.ReadAll(trace.Ops(file)))(t)
	require.NoError(t, file.Close())
	got := must.Get(replay.NewPlayer(must.Get(hierwheel.New[uint64](time.Millisecond, 256))(t), time.Millisecond))(t)
	require.NoError(t, got.Play(t.Context(), read))
	require.NoError(t, got.RunOut(t.Context()))
	want := must.Get(replay.NewModel(time.Millisecond))(t)
	require.NoError(t, want.Play(read))
	want.RunOut()
	require.Equal(t, want.Answer(), got.Answer())
	require.Greater(t, did.fires, 100)
	require.EqualValues(t, did.fires, got.Answer().Fired)
}

// program is what a program did.
type program struct{ schedules, resets, cancels, fires int }

// recordProgram runs the operations of a profile live, in virtual time, and records them.
func recordProgram(t *testing.T, path string) (did program) {
	s := must.Get(must.Get(workload.Find("tcp-rto"))(t).Stream(workload.Options{Seed: 1, Scale: 0.02}))(t)
	w := must.Get(trace.Create(path, trace.Header{Source: "a test"}))(t)
	r := must.Get(Wrap(newDriver(t), w, WithRoom(1<<20)))(t)

	timers := map[uint32]driver.Timer{}
	began := time.Now()
	for ops, err := range workload.Blocks(t.Context(), s, 256) {
		require.NoError(t, err)
		for _, op := range ops {
			time.Sleep(op.At - time.Since(began))
			did.do(t, r, timers, op, func() { did.fires++ })
		}
		if did.schedules+did.resets >= 60_000 {
			break
		}
	}
	time.Sleep(time.Hour)
	unfired := must.Get(r.Close(context.Background()))(t)
	require.NoError(t, w.Close())
	require.Zero(t, r.Counts().Timers+r.Counts().Resets+r.Counts().Ends)
	did.cancels += len(unfired)
	return did
}

// do does one operation, and counts it if it was granted.
func (p *program) do(t *testing.T, r *Driver, timers map[uint32]driver.Timer, op workload.Op, f func()) {
	switch op.Kind {
	case workload.Schedule:
		timers[op.Timer] = afterFunc(t, r, op.Delay, f)
		p.schedules++
	case workload.Reset:
		if moves(t, timers[op.Timer], op.Delay) {
			p.resets++
		}
	case workload.Cancel:
		if timers[op.Timer].Stop() {
			p.cancels++
		}
	}
}

// While the sink stands still and the ring is full, the program goes on, and the trace stays true to itself.
func TestFullRing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, k := wrapped(t, WithRoom(64))
		random := rand.New(rand.NewPCG(1, 2))
		var timers []driver.Timer
		fired := 0
		for i := range 5000 {
			switch i {
			case 1000, 3000:
				k.hold()
			case 2000, 4000:
				k.release()
			}
			timers = append(timers, afterFunc(t, r, time.Duration(1+random.IntN(100))*ms, func() { fired++ }))
			at := random.IntN(len(timers))
			if i%3 == 0 {
				timers[at].Stop()
			} else {
				timers[at].ResetPending(50 * ms)
			}
			time.Sleep(ms / 4)
		}
		end(t, r)
		c := r.Counts()
		require.Positive(t, c.Timers)
		require.Positive(t, c.Resets)
		require.Positive(t, c.Ends)
		require.Equal(t, c.Timers+c.Resets+c.Ends, k.dropped)
		require.EqualValues(t, len(k.events), c.Recorded)
		require.Positive(t, fired)
		require.EqualValues(t, 5000-c.Timers, checkTrace(t, k.events))
	})
}

// checkTrace checks that events follow each other as those of timers do, that
// every timer ends, and returns how many there are.
func checkTrace(t *testing.T, events []trace.Event) (timers int) {
	t.Helper()
	pending := map[uint64]bool{}
	require.True(t, slices.IsSortedFunc(events, func(a, b trace.Event) int { return int(a.At - b.At) }))
	for i, e := range events {
		require.Equal(t, e.Kind != trace.Schedule, pending[e.Timer], "event %d: %+v", i, e)
		switch e.Kind {
		case trace.Schedule:
			timers++
			pending[e.Timer] = true
		case trace.Cancel, trace.Fire:
			delete(pending, e.Timer)
		}
	}
	require.Empty(t, pending)
	return timers
}

// Many goroutines make, move and stop timers that fire at the same time, in real
// time: whatever the order, the trace is one of timers.
func TestRecordingIsSafe(t *testing.T) {
	r, k := wrapped(t)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 1))
			var timers [8]driver.Timer
			for range 3000 {
				at := random.IntN(len(timers))
				switch random.IntN(3) {
				case 0:
					timers[at].Stop()
					fallthrough
				case 1:
					timers[at], _ = r.AfterFunc(time.Duration(random.IntN(2000))*time.Microsecond, nothing)
				default:
					timers[at].ResetPending(time.Duration(random.IntN(1000)) * time.Microsecond)
				}
			}
		})
	}
	wg.Wait()
	end(t, r)
	c := r.Counts()
	require.EqualValues(t, len(k.events), c.Recorded)
	require.EqualValues(t, r.Stats().Scheduled-c.Timers, checkTrace(t, k.events))
	require.EqualValues(t, r.Stats().Reset, uint64(count(k.events, trace.Reset))+c.Resets)
}

func TestRecordingDoesNotAllocate(t *testing.T) {
	r := must.Get(Wrap(newDriver(t), trace.NewWriter(io.Discard, trace.Header{}), WithRoom(1<<10)))(t)
	defer r.Close(context.Background())
	f := nothing
	var timer driver.Timer
	require.Zero(t, testing.AllocsPerRun(100, func() {
		timer.Stop()
		timer, _ = r.AfterFunc(time.Hour, f)
		timer.ResetPending(time.Minute)
	}))
}
