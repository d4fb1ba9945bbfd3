package durable

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// HandOut does what the engine does with a timer that is due, after the given number of changes of it have been
// cancelled: it has read the timer before, and writes what it hands out after the marks.
func (t *Timers) HandOut(ctx context.Context, id ID, cancelled int) error {
	for change := range cancelled {
		if _, err := t.js.PublishMsg(ctx, t.marking(id, change)); err != nil {
			return err
		}
	}
	now := time.Now()
	r := record{id: id, kind: "note", at: now, due: now, attempt: 1}
	_, err := t.js.PublishMsg(ctx, t.placed(r, now))
	return err
}

// HandOutMoved leaves a timer as it is after a Reset to an instant within the lead has written the next change,
// and not yet the mark of the one before, which the engine had read and hands out.
func (t *Timers) HandOutMoved(ctx context.Context, id ID, to time.Time) error {
	now := time.Now()
	r := record{id: id, kind: "note", at: now, due: now, attempt: 1}
	return t.write(ctx, now, r.moved(to), r)
}

// MoveInPart leaves a timer as a process does that is killed after Reset has written the next change, before what was
// handed out of this one is removed.
func (t *Timers) MoveInPart(ctx context.Context, id ID, to time.Time) error {
	now := time.Now()
	r := record{id: id, kind: "note", at: now, due: now, attempt: 1}
	return t.write(ctx, now, r, r.moved(to))
}

func (r record) moved(to time.Time) record {
	r.change, r.at, r.due = r.change+1, to, to
	return r
}

func (t *Timers) write(ctx context.Context, now time.Time, all ...record) error {
	for _, r := range all {
		if _, err := t.js.PublishMsg(ctx, t.placed(r, now)); err != nil {
			return err
		}
	}
	return nil
}

// OpenLate is Open for a folder from which the engine has handed out what is due before this process can ask it
// for anything.
func OpenLate(ctx context.Context, o Options) (*Timers, error) {
	t, err := connect(ctx, o)
	if err != nil {
		return nil, err
	}
	time.Sleep(600 * time.Millisecond) // it begins a quarter of a second after it has started
	if err := t.findAll(ctx); err != nil {
		return nil, err
	}
	t.tasks, t.endTasks = context.WithCancel(ctx)
	t.ctx, t.end = context.WithCancel(ctx)
	return t, nil
}

// LoseLastRemoval leaves a folder as a process does that is killed after the engine has written its last message,
// and before it has written that this removes another: the last thing in the file.
func LoseLastRemoval(t *testing.T, dir string) {
	blocks, err := filepath.Glob(filepath.Join(dir, messages, "*.blk"))
	require.NoError(t, err)
	require.Len(t, blocks, 1)
	info, err := os.Stat(blocks[0])
	require.NoError(t, err)
	const removal = 30 // bytes: header and checksum of a message without subject
	require.NoError(t, os.Truncate(blocks[0], info.Size()-removal))
	LoseIndex(t, dir)
}

// LoseIndex leaves a folder as a process does that is killed: the engine has to read all its files.
func LoseIndex(t *testing.T, dir string) {
	for _, index := range []string{"index.db", "sched.db", "thw.db"} {
		err := os.Remove(filepath.Join(dir, messages, index))
		require.True(t, err == nil || os.IsNotExist(err))
	}
}

const messages = "jetstream/$G/streams/timers/msgs" // of the folder
