package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/peers/rules"
)

func TestRulesPrintsWhatWasFound(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, (&rulesCommand{}).Run(&out))
	require.Equal(t, rules.Found, out.String())
}

// TestWithoutJavaTheOthersAreMeasured runs the command where there is no Java.
func TestWithoutJavaTheOthersAreMeasured(t *testing.T) {
	bench := filepath.Join(t.TempDir(), "bench")
	out, err := exec.Command("go", "build", "-o", bench, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	run := func(args ...string) (stdout, stderr string, err error) {
		var out, errOut bytes.Buffer
		cmd := exec.Command(bench, args...)
		cmd.Env = []string{"PATH=" + t.TempDir(), "HOME=" + t.TempDir()}
		cmd.Stdout, cmd.Stderr = &out, &errOut
		err = cmd.Run()
		return out.String(), errOut.String(), err
	}
	list, said, err := run("list")
	require.NoError(t, err)
	require.Contains(t, said, "default-jdk-headless and libnetty-java")
	require.NotContains(t, list, "java-netty ")
	require.Contains(t, list, "go-zero-10ms")

	_, _, err = run("--quick", "--experiments", "idle", "--contestants", "client-go,time.AfterFunc", "--pending", "100", "--blocks", "1", "--data-only",
		"--out", t.TempDir())
	require.NoError(t, err)

	_, said, err = run("fidelity", "--quick")
	require.Error(t, err)
	require.Contains(t, strings.ToLower(said), "no original")
}
