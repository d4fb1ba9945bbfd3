package record

import (
	"context"
	"path/filepath"
	"slices"
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

// A program is recorded live, and its trace read again: it asks for as many
// operations, with the same delays, and what replays it fires the same timers.
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

	read := readOps(t, path)
	require.Equal(t, did.delays, delaysOf(read), "the delays, all of them, and so all quantiles")

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
type program struct {
	schedules, resets, cancels, fires int
	delays                            []time.Duration
}

// recordProgram runs the operations of a profile live, in virtual time, and
// records them.
func recordProgram(t *testing.T, path string) (did program) {
	s := must.Get(must.Get(workload.Find("tcp-rto"))(t).Stream(workload.Options{Seed: 1, Scale: 0.02}))(t)
	w := must.Get(trace.Create(path, trace.Header{Source: "a test"}))(t)
	r := must.Get(Wrap(newDriver(t), w, WithRoom(1<<20)))(t)

	timers := map[uint32]driver.Timer{}
	fires := 0
	began := time.Now()
	for ops, err := range workload.Blocks(t.Context(), s, 256) {
		require.NoError(t, err)
		for _, op := range ops {
			time.Sleep(op.At - time.Since(began))
			did.do(t, r, timers, op, func() { fires++ })
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
	did.fires = fires
	slices.Sort(did.delays)
	return did
}

// do does one operation, and counts it if it was granted.
func (p *program) do(t *testing.T, r *Driver, timers map[uint32]driver.Timer, op workload.Op, f func()) {
	switch op.Kind {
	case workload.Schedule:
		timers[op.Timer] = afterFunc(t, r, op.Delay, f)
		p.schedules++
		p.delays = append(p.delays, op.Delay)
	case workload.Reset:
		if moves(t, timers[op.Timer], op.Delay) {
			p.resets++
			p.delays = append(p.delays, op.Delay)
		}
	case workload.Cancel:
		if timers[op.Timer].Stop() {
			p.cancels++
		}
	}
}

// readOps returns all operations of a trace.
func readOps(t *testing.T, path string) []workload.Op {
	file := must.Get(trace.Open(path, trace.Options{}))(t)
	defer file.Close()
	return must.Get(workloadtest.ReadAll(trace.Ops(file)))(t)
}

func delaysOf(ops []workload.Op) (delays []time.Duration) {
	for _, op := range ops {
		if op.Kind != workload.Cancel {
			delays = append(delays, op.Delay)
		}
	}
	slices.Sort(delays)
	return delays
}
