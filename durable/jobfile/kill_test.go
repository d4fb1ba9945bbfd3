package jobfile

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"schedbench/catalog"
)

var kills = flag.Int("kills", 20, "how often the process is killed")

// The process that is killed is this test: with folder set it adds, cancels and runs jobs.
const folder, unsynced, shutdownOnly = "JOBFILE_TEST_FOLDER", "JOBFILE_TEST_NOSYNC", "JOBFILE_TEST_SHUTDOWN_ONLY"

func TestMain(m *testing.M) {
	if dir := os.Getenv(folder); dir != "" {
		busy(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

// said is a file with a line for each thing that a process has done, in the order in which it was
// done: each line is there once the write returns, whatever becomes of the process.
type said struct{ *os.File }

func openSaid(dir string) (said, error) {
	f, err := os.OpenFile(filepath.Join(dir, "said"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return said{f}, err
}

func (s said) line(words ...any) {
	if _, err := s.WriteString(fmt.Sprintln(words...)); err != nil {
		panic(err)
	}
}

// openIn opens the store and the wheel of a folder, with a Run that says so.
func openIn(dir string) (*Store[int64], *catalog.JobWheel, said, error) {
	out, err := openSaid(dir)
	if err != nil {
		return nil, nil, out, err
	}
	store, err := Open[int64](filepath.Join(dir, "jobs"), Options{NoSync: os.Getenv(unsynced) != ""})
	if err != nil {
		return nil, nil, out, err
	}
	var kept catalog.JobStore = store
	if os.Getenv(shutdownOnly) != "" {
		kept = struct{ catalog.JobStore }{store} // no keeper any more
	}
	wheel, err := catalog.BusinessWheel{Tick: ms, Store: kept, Run: func(j catalog.Job) {
		now := time.Now()
		out.line("ran", j.ID, now.Round(0).Sub(time.Unix(0, j.Payload.(int64))).Nanoseconds())
		time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
	}}.Open(context.Background())
	return store, wheel, out, err
}

// busy adds and cancels jobs until it is killed. What it says, it says after it is so; only of a
// cancel it says before that it may be so.
func busy(dir string) {
	_, wheel, out, err := openIn(dir)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ready")
	for worker := range 4 {
		go func() {
			for i := 0; ; i++ {
				due := time.Now().Add(time.Duration(rand.IntN(150)) * ms)
				id := fmt.Sprint(os.Getpid(), "-", worker, "-", i)
				job := catalog.Job{ID: id, Due: due, Payload: due.UnixNano()}
				if err := wheel.Add(context.Background(), job); err != nil {
					panic(err)
				}
				out.line("added", id)
				if rand.IntN(3) == 0 {
					out.line("cancelling", id)
					if wheel.Cancel(id) {
						out.line("cancelled", id)
					} else {
						out.line("uncancelled", id)
					}
				}
			}
		}()
	}
	select {}
}

// killed starts a process on a folder and kills it after a while.
func killed(t *testing.T, dir string, after time.Duration, env ...string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(append(os.Environ(), folder+"="+dir), env...)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	first, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		first = err.Error()
	}
	time.Sleep(after)
	require.NoError(t, cmd.Process.Kill())
	rest, _ := io.ReadAll(out)
	cmd.Wait() // it was killed, and says so
	require.Equal(t, "ready\n", first, "%s", rest)
}

// account is what became of the jobs of a folder.
type account struct {
	added, cancelled, ran              int
	undecided                          int // the process died in Cancel: the job may run, or not
	lost, early, twice, afterCancelled int
}

func accountOf(t *testing.T, dir string) (a account) {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, "said"))
	require.NoError(t, err)
	defer file.Close()
	added, cancelling, cancelled, ran := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]int{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		words := strings.Fields(lines.Text())
		id := words[1]
		switch words[0] {
		case "added":
			added[id] = true
		case "cancelling":
			cancelling[id] = true
		case "uncancelled":
			delete(cancelling, id)
		case "cancelled":
			cancelled[id] = true
		case "ran":
			late, err := strconv.ParseInt(words[2], 10, 64)
			require.NoError(t, err)
			if late < 0 {
				a.early++
			}
			if cancelled[id] {
				a.afterCancelled++
			}
			if ran[id]++; ran[id] == 2 {
				a.twice++
			}
		}
	}
	for id := range added {
		switch {
		case ran[id] > 0 || cancelled[id]:
		case cancelling[id]:
			a.undecided++
		default:
			a.lost++
		}
	}
	a.added, a.cancelled, a.ran = len(added), len(cancelled), len(ran)
	return a
}

// afterKills kills processes on a folder, one after another while jobs come, go and run, lets a last one run
// what is left, and gives account.
func afterKills(t *testing.T, n int, env ...string) account {
	t.Helper()
	dir := t.TempDir()
	for range n {
		killed(t, dir, time.Duration(rand.IntN(200))*ms, env...)
	}
	store, wheel, out, err := openIn(dir)
	require.NoError(t, err)
	for len(wheel.TriggerJobs()) > 0 {
		time.Sleep(ms)
	}
	left, err := wheel.Close(context.Background())
	require.NoError(t, err)
	require.Empty(t, left)
	require.Zero(t, store.Len(), "all that ran is dropped")
	require.NoError(t, store.Close())
	require.NoError(t, out.Close())

	a := accountOf(t, dir)
	t.Logf("%d kills: %d added, %d cancelled, %d ran, %d killed in Cancel; lost %d, early %d, ran after a cancel %d, twice %d",
		n, a.added, a.cancelled, a.ran, a.undecided, a.lost, a.early, a.afterCancelled, a.twice)
	require.NotZero(t, a.added)
	require.Zero(t, a.early)
	require.Zero(t, a.afterCancelled)
	return a
}

func TestKilledProcessesLoseNothing(t *testing.T) {
	for _, policy := range []struct {
		name string
		env  []string
	}{{"sync", nil}, {"no sync", []string{unsynced + "=1"}}} {
		t.Run(policy.name, func(t *testing.T) {
			t.Parallel()
			n := (*kills + 1) / 2
			a := afterKills(t, n, policy.env...)
			require.Zero(t, a.lost)
			require.LessOrEqual(t, a.twice, 2*n, "one on the wheel and one overdue for each kill")
			require.NotZero(t, a.ran)
		})
	}
}

// What the business wheel promises without a keeper, as the original does, is less: jobs are saved when it is
// closed, and a killed process takes with it what it had.
func TestWithoutAKeeperAKillLosesJobs(t *testing.T) {
	require.NotZero(t, afterKills(t, 3, shutdownOnly+"=1").lost)
}
