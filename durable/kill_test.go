package durable_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"schedbench/durable"
)

// kills is how often the tests that kill do so: DURABLE_KILLS says, or 20, or fewer with -short.
func kills(t *testing.T) int {
	if text := os.Getenv("DURABLE_KILLS"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		return n
	}
	if testing.Short() {
		return 5
	}
	return 20
}

// startChild starts this program as a child.
func startChild(t *testing.T, env ...string) (*exec.Cmd, *bytes.Buffer) {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), env...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	require.NoError(t, c.Start())
	return c, &out
}

// verdict is what the journal comes to.
type verdict struct {
	scheduled, cancelled, moved, began int
	early, afterCancel, afterReset     int
	lost                               []durable.ID
	doubles                            int // ends of tasks that had ended before
	unknown                            int // gone, as a child was killed that had asked for that
	opened                             int
}

// judge reads the journal as the promises of the package have it.
func judge(all []entry) (v verdict) {
	type history struct {
		scheduled, ended, cancelled bool
		cancelling                  int     // times of which nobody knows what came
		at                          int64   // acknowledged last
		moving                      []int64 // begun since then, and perhaps done
	}
	timers := map[durable.ID]*history{}
	of := func(id durable.ID) *history {
		if timers[id] == nil {
			timers[id] = &history{}
		}
		return timers[id]
	}
	for _, e := range all {
		h := of(e.id)
		switch e.what {
		case opened:
			v.opened++
		case scheduled:
			v.scheduled++
			h.scheduled = true
			if h.at == 0 {
				h.at = e.at
			}
		case cancelling:
			h.cancelling++
		case refused:
			h.cancelling-- // that one: what a killed child had asked for before may be why
		case cancelled:
			v.cancelled++
			h.cancelled = true
		case moving:
			h.moving = append(h.moving, e.at)
		case moved:
			v.moved++
			h.at, h.moving = e.at, h.moving[slices.Index(h.moving, e.at)+1:]
		case began:
			v.began++
			if e.when < e.at {
				v.early++
			}
			if h.cancelled {
				v.afterCancel++
			}
			if h.at != 0 && e.at != h.at && !slices.Contains(h.moving, e.at) {
				v.afterReset++
			}
		case ended:
			if h.ended {
				v.doubles++
			}
			h.ended = true
		}
	}
	for id, h := range timers {
		switch {
		case !h.scheduled || h.ended || h.cancelled:
		case h.cancelling > 0:
			v.unknown++
		default:
			v.lost = append(v.lost, id)
		}
	}
	return v
}

func TestKilledAtRandomInstants(t *testing.T) {
	dir := t.TempDir()
	n := kills(t)
	for range n {
		c, out := startChild(t, childDir+"="+dir)
		time.Sleep(50*time.Millisecond + rand.N(900*time.Millisecond))
		require.NoError(t, c.Process.Kill())
		require.Error(t, c.Wait())
		require.Empty(t, out.String())
	}
	v := drained(t, dir)
	t.Logf("%d kills: %+v", n, v)
	require.LessOrEqual(t, v.doubles, n*childWorkers)
}

// drained lets a last child end in order, checks the journal, and that another has nothing to do.
func drained(t *testing.T, dir string, env ...string) verdict {
	env = append(env, childDir+"="+dir, childDrain+"=1")
	var verdicts [2]verdict
	for i := range verdicts {
		c, out := startChild(t, env...)
		require.NoError(t, c.Wait(), "%s", out)
		require.Empty(t, out.String())
		all, err := readJournal(dir)
		require.NoError(t, err)
		verdicts[i] = judge(all)
	}
	v := verdicts[0]
	require.NotZero(t, v.cancelled)
	require.NotZero(t, v.moved)
	require.Empty(t, v.lost, "%+v", v)
	require.Zero(t, v.early, "%+v", v)
	require.Zero(t, v.afterCancel, "%+v", v)
	require.Zero(t, v.afterReset, "%+v", v)
	require.Equal(t, v.began, verdicts[1].began)
	return v
}

// Two workers share the timers of a server; one of them is killed, and then the other.
func TestWorkersKilled(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, &server.Options{JetStream: true, StoreDir: filepath.Join(dir, "server")})
	url := childURL + "=" + s.ClientURL()
	n := max(kills(t)/2, 2)
	for range n {
		var children [2]*exec.Cmd
		var outs [2]*bytes.Buffer
		for i := range children {
			children[i], outs[i] = startChild(t, url, childDir+"="+dir, childShare+"="+strconv.Itoa(i))
		}
		for i := range children {
			time.Sleep(50*time.Millisecond + rand.N(900*time.Millisecond))
			require.NoError(t, children[i].Process.Kill())
			require.Error(t, children[i].Wait())
			require.Empty(t, outs[i].String())
		}
	}
	v := drained(t, dir, url)
	t.Logf("%d kills: %+v", 2*n, v)
	require.LessOrEqual(t, v.doubles, 2*n*childWorkers)
}

// serve starts a server that listens on the loopback interface, until the test ends.
func serve(t *testing.T, o *server.Options) *server.Server {
	o.Host, o.NoSigs, o.NoLog = "127.0.0.1", true, true
	if o.Port == 0 {
		o.Port = server.RANDOM_PORT
	}
	s, err := server.NewServer(o)
	require.NoError(t, err)
	go s.Start()
	require.True(t, s.ReadyForConnections(eventually))
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s
}
