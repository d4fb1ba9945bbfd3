package price

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/live"
)

// measuring is the experiment while it is measured: what it has on disk.
type measuring struct {
	Config
	root    string            // of all that is on disk, "" until there is something
	block   int               // whose folders these are
	folders map[string]folder // by what they hold
	turns   int
}

// folder is what was filled by one process: as it was when that was killed, and closed in order
// by another.
type folder struct {
	crashed, closed string
	fillNs          float64 // for each timer
	bytes           int64   // of all files, closed
}

// release removes what is on disk.
func (m *measuring) release() error {
	if m.root == "" {
		return nil
	}
	return os.RemoveAll(m.root)
}

// turn is one who takes turns with n timers held.
func (m *measuring) turn(k Keeper, n int, long time.Duration, take func(context.Context, Keeper, int, *rand.Rand) (harness.Sample, error)) harness.Participant {
	return harness.Participant{Params: k.params(n), Time: long, Take: func(ctx context.Context, block int, r *rand.Rand) (harness.Sample, error) {
		if err := m.begin(block); err != nil {
			return harness.Sample{}, err
		}
		taken, err := take(ctx, k, n, r)
		if ctx.Err() != nil { // what is interrupted fails in many ways
			err = ctx.Err()
		}
		return taken, err
	}}
}

// begin makes room for a block: nothing in it has been filled in another.
func (m *measuring) begin(block int) (err error) {
	if m.root == "" {
		if m.root, err = os.MkdirTemp(m.Scratch, "durable-price-"); err != nil {
			return err
		}
	}
	if m.folders == nil || block != m.block {
		for _, f := range m.folders {
			if err := os.RemoveAll(filepath.Dir(f.crashed)); err != nil {
				return err
			}
		}
		m.block, m.folders = block, map[string]folder{}
	}
	return nil
}

// newDir returns a path for a folder of a turn.
func (m *measuring) newDir() string {
	m.turns++
	return filepath.Join(m.root, fmt.Sprintf("turn-%d", m.turns))
}

// filled returns the folder of the block in which somebody holds n timers.
func (m *measuring) filled(ctx context.Context, k Keeper, n int) (folder, error) {
	if k.Impl == Bare || k.Sync == SyncAlways { // what is filled is the same, and takes a while as it is
		k = durableNow
	}
	key := fmt.Sprint(k.Impl, n)
	if f, ok := m.folders[key]; ok {
		return f, nil
	}
	dir := m.newDir()
	f := folder{crashed: filepath.Join(dir, "crashed"), closed: filepath.Join(dir, "closed")}
	a, err := m.run(ctx, job{Do: doFill, Keeper: k, Held: n, Dir: f.crashed})
	if err != nil {
		return f, err
	}
	f.fillNs = a.Values[FillNs]
	if err := os.CopyFS(f.closed, os.DirFS(f.crashed)); err != nil {
		return f, err
	}
	if _, err := m.run(ctx, job{Do: doClose, Keeper: k, Held: n, Dir: f.closed}); err != nil {
		return f, err
	}
	if f.bytes, err = sizeOf(f.closed); err != nil {
		return f, err
	}
	m.folders[key] = f
	return f, nil
}

// sizeOf sums up the files in a folder.
func sizeOf(dir string) (bytes int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}

// onCopy has a job done on a copy of a folder, which is removed then.
func (m *measuring) onCopy(ctx context.Context, of string, j job) (*answer, error) {
	j.Dir = m.newDir()
	defer os.RemoveAll(j.Dir)
	if err := os.CopyFS(j.Dir, os.DirFS(of)); err != nil {
		return nil, err
	}
	return m.run(ctx, j)
}

// held is a turn in which timers are scheduled and cancelled with n held.
func (m *measuring) held(ctx context.Context, k Keeper, n int, r *rand.Rand) (harness.Sample, error) {
	j := job{Do: doHeld, Keeper: k, Held: n, Calls: m.Calls, Seed: r.Uint64()}
	switch {
	case k.inMemory():
		return taken(m.run(ctx, j))
	case k.Servers > 1:
		return taken(m.inCluster(ctx, j, m.runBeside))
	}
	f, err := m.filled(ctx, k, n)
	if err != nil {
		return harness.Sample{}, err
	}
	a, err := m.onCopy(ctx, f.closed, j)
	if err != nil || k != durableNow { // of which the folder is that of this one
		return taken(a, err)
	}
	crashed, err := m.onCopy(ctx, f.crashed, job{Do: doReady, Keeper: k, Held: n})
	if err != nil {
		return harness.Sample{}, err
	}
	empty, err := m.onEmpty(ctx, k)
	if err != nil {
		return harness.Sample{}, err
	}
	v := a.Values
	v[CrashedNs], v[CrashedBytes] = crashed.Values[ReadyNs], crashed.Values[ReadyBytes]
	v[rundata.BytesPerTimer] -= empty.Values[rundata.BytesPerTimer] / float64(n)
	v[DiskPerTimer], v[FillNs] = float64(f.bytes)/float64(n), f.fillNs
	return taken(a, nil)
}

// onEmpty has a process that holds nothing say what it takes.
func (m *measuring) onEmpty(ctx context.Context, k Keeper) (*answer, error) {
	dir := m.newDir()
	defer os.RemoveAll(dir)
	return m.run(ctx, job{Do: doReady, Keeper: k, Dir: dir})
}

// live is a turn in which nothing is due for a while with n timers held, and others fire then.
func (m *measuring) live(ctx context.Context, k Keeper, n int, r *rand.Rand) (harness.Sample, error) {
	j := job{Do: doLive, Keeper: k, Held: n, Idle: m.idle(k), Seed: r.Uint64()}
	j.Arrivals, j.Deadlines = m.load(k, r)
	switch {
	case k.inMemory():
		return taken(m.run(ctx, j))
	case k.Servers > 1:
		return taken(m.inCluster(ctx, j, m.runBeside))
	case n == 0 || k.Impl == Poll: // which fills its own, by the interval
		j.Dir = m.newDir()
		defer os.RemoveAll(j.Dir)
		return taken(m.run(ctx, j))
	}
	f, err := m.filled(ctx, k, n)
	if err != nil {
		return harness.Sample{}, err
	}
	return taken(m.onCopy(ctx, f.closed, j))
}

// load draws when timers arrive, evenly, and their deadlines.
func (m *measuring) load(k Keeper, r *rand.Rand) (arrivals, deadlines []time.Duration) {
	every := time.Second / time.Duration(m.Rate)
	for at := time.Duration(0); at < m.Load; at += every {
		arrivals = append(arrivals, at)
		deadlines = append(deadlines, at+m.least()+time.Duration(r.Int64N(int64(m.spread(k)))))
	}
	return arrivals, deadlines
}

// taken returns what a process answered as what was measured in a turn.
func taken(a *answer, err error) (harness.Sample, error) {
	if err != nil {
		return harness.Sample{}, err
	}
	t := harness.Sample{Iterations: max(a.Iterations, 1), Values: maps.Clone(a.Values)}
	if t.Values[rundata.BytesPerTimer] <= 0 { // so few timers are lost in what else comes and goes on the heap
		delete(t.Values, rundata.BytesPerTimer)
	}
	if a.Outcome != nil {
		t.Outcome = a.Outcome
		addRates(t.Values, a.Outcome)
	}
	return t, nil
}

// addRates adds what was used while timers fired.
func addRates(values map[string]float64, out *live.Outcome) {
	if out.Metered {
		values[LoadCPU] = float64(out.CPU) / out.Took.Seconds()
	}
}
