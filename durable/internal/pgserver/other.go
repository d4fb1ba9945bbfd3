//go:build !unix

package pgserver

import (
	"os"
	"os/exec"
)

var quit = os.Kill

func asPostgres(cmd *exec.Cmd) (*exec.Cmd, error) { return cmd, nil }

func give(string) error { return nil }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
