//go:build !unix

package pgserver

import (
	"os"
	"os/exec"
)

var quit = os.Kill

func asPostgres(*exec.Cmd) error { return nil }

func give(string) error { return nil }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
