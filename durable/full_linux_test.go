package durable_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/durable"
)

// A child with a file system of its own, which takes no rights, schedules until it is full: by what the
// server allows itself, which is three quarters of what was free when it started; or since others
// have taken the room.
func TestFullDisk(t *testing.T) {
	for _, who := range []string{byItself, byOthers} {
		t.Run(who, func(t *testing.T) {
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), childDir+"="+t.TempDir(), childFull+"="+who)
			c.SysProcAttr = &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
				UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
			}
			out, err := c.CombinedOutput()
			if err != nil && (c.ProcessState == nil || strings.Contains(string(out), noMount)) {
				t.Skipf("no file system of its own for a child here: %v %s", err, out)
			}
			require.NoError(t, err, "%s", out)
			t.Logf("%s", out)
		})
	}
}

const byItself, byOthers = "by itself", "by others"

const noMount = "cannot mount"

// fullDisk schedules until nothing more can be kept, and looks what there is of it.
func fullDisk() error {
	dir := os.Getenv(childDir)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=24m"); err != nil {
		return fmt.Errorf("%s: %w", noMount, err)
	}
	ctx := context.Background()
	o := durable.Options{Dir: dir + "/timers", OnError: quiet}
	timers, err := durable.Open(ctx, o)
	if err != nil {
		return err
	}
	clear := "insufficient resources"
	if os.Getenv(childFull) == byOthers {
		clear = "no space left"
		if err := os.WriteFile(dir+"/others", make([]byte, 16<<20), 0o600); err != nil {
			return err
		}
	}
	payload := make([]byte, 4<<10)
	kept := map[durable.ID]bool{}
	for err == nil {
		var id durable.ID
		limited, cancel := context.WithTimeout(ctx, 3*time.Second)
		if id, err = timers.ScheduleAfter(limited, time.Hour, "task", payload); err == nil {
			kept[id] = true
		}
		cancel()
	}
	fmt.Println("refused after", len(kept), "timers:", err)
	if !errors.Is(err, durable.ErrEngine) {
		return fmt.Errorf("not the error of the engine: %w", err)
	}
	if !strings.Contains(err.Error(), clear) {
		return fmt.Errorf("not a clear error: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	fmt.Println("close:", timers.Close(limited))
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
		return fmt.Errorf("%s: %w", noMount, err)
	}
	if timers, err = durable.Open(ctx, o); err != nil {
		return err
	}
	pending, _, err := timers.Pending(ctx, durable.Page{}, 2*len(kept))
	for _, p := range pending {
		delete(kept, p.ID)
	}
	fmt.Println("of these are not there when there is room again:", len(kept), "of", len(pending))
	if err == nil && len(kept) > 0 {
		err = errors.New("what was acknowledged is not there")
	}
	if err == nil {
		_, err = timers.ScheduleAfter(ctx, time.Hour, "task", payload)
	}
	return errors.Join(err, timers.Close(ctx))
}
