package durable

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/internal/lists"
	"schedbench/internal/must"
)

var _ catalog.JobKeeper = (*Jobs[int])(nil)

// The business wheel loses no job when its process is killed, and an orderly end leaves the rest to the next.
func TestJobsOfABusinessWheel(t *testing.T) {
	var ran []string
	wheel := func(dir string) (*catalog.JobWheel, *Timers) {
		timers := open(t, filepath.Join(dir, "timers.db"), Options{})
		return must.Get(catalog.BusinessWheel{Tick: time.Millisecond, Store: NewJobs[string](timers, "jobs"), Run: func(j catalog.Job) { ran = append(ran, j.ID+j.Payload.(string)) }}.Open(t.Context()))(t), timers
	}
	ids := func(jobs []catalog.Job) []string {
		return lists.Each(jobs, func(j catalog.Job) string { return j.ID })
	}
	dir, killed := t.TempDir(), t.TempDir()
	w, timers := wheel(dir)
	for id, due := range map[string]time.Duration{"a": time.Hour, "b": 2 * time.Hour, "c": 50 * time.Millisecond} {
		require.NoError(t, w.Add(t.Context(), catalog.Job{ID: id, Due: in(due), Payload: "!"}))
	}
	require.ErrorIs(t, w.Add(t.Context(), catalog.Job{ID: "d", Payload: 7}), ErrPayload)
	require.True(t, w.Cancel("b"))
	copyFiles(t, dir, killed) // as a kill leaves them
	require.Subset(t, ids(must.Get(w.Close(t.Context()))(t)), []string{"a"})
	require.NoError(t, closeNow(timers))
	ran = nil

	time.Sleep(60 * time.Millisecond)
	after, _ := wheel(killed)
	require.Equal(t, []string{"c!"}, ran, "it was due")
	require.Equal(t, []string{"a"}, ids(after.TriggerJobs()))
	require.Empty(t, must.Get(after.Store.Take(t.Context()))(t), "the wheel has them")
	must.Get(after.Close(t.Context()))(t)
}
