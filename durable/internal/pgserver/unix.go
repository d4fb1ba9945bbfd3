//go:build unix

package pgserver

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

const quit = syscall.SIGQUIT

// asPostgres has a command run as a user who may run a server: it refuses root.
func asPostgres(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ := strconv.Atoi(u.Uid)
			gid, _ := strconv.Atoi(u.Gid)
			cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
			return nil
		}
	}
	return errors.New("no user postgres or nobody")
}

func give(dir string) error {
	var cmd exec.Cmd
	err := asPostgres(&cmd)
	if as := cmd.SysProcAttr.Credential; as != nil {
		err = os.Chown(dir, int(as.Uid), int(as.Gid))
	}
	return err
}

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
