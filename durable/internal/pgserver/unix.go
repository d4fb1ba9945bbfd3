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
func asPostgres(cmd *exec.Cmd) (*exec.Cmd, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() != 0 {
		return cmd, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ := strconv.Atoi(u.Uid)
			gid, _ := strconv.Atoi(u.Gid)
			cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
			return cmd, nil
		}
	}
	return nil, errors.New("no user postgres or nobody")
}

// give gives a folder to that user.
func give(dir string) error {
	cmd, err := asPostgres(&exec.Cmd{})
	if err == nil && cmd.SysProcAttr.Credential != nil {
		err = os.Chown(dir, int(cmd.SysProcAttr.Credential.Uid), int(cmd.SysProcAttr.Credential.Gid))
	}
	return err
}

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
