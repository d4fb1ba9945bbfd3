package durable

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// pgServer is a server of PostgreSQL in a folder of its own, on a loopback port.
type pgServer struct {
	dir, url string
	port     int
	process  *exec.Cmd
}

var shared struct {
	sync.Once
	*pgServer
	err       error
	databases int
}

// postgresURL returns a URL of an empty database, or skips the test.
func postgresURL(t *testing.T) string {
	t.Helper()
	shared.Do(func() { shared.pgServer, shared.err = startPostgres("") })
	if shared.err != nil {
		t.Skip("no server of PostgreSQL: ", shared.err)
	}
	return shared.database(t)
}

// database makes an empty database.
func (s *pgServer) database(t *testing.T) string {
	t.Helper()
	shared.databases++
	name := fmt.Sprint("t", shared.databases)
	conn, err := pgx.Connect(t.Context(), s.url+"/postgres")
	require.NoError(t, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(t.Context(), "CREATE DATABASE "+name)
	require.NoError(t, err)
	return s.url + "/" + name
}

// asPostgres runs a command as a user who may run a server: it refuses root.
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

func pgBinary(name string) (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(found) > 0 {
		return found[len(found)-1], nil
	}
	return exec.LookPath(name)
}

// pgRun runs a tool of PostgreSQL to its end.
func pgRun(name string, args ...string) error {
	path, err := pgBinary(name)
	if err != nil {
		return err
	}
	cmd, err := asPostgres(exec.Command(path, args...))
	if err != nil {
		return err
	}
	cmd.Dir = "/"
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

// pgFolder makes a folder that belongs to the user of the server.
func pgFolder() (string, error) {
	dir, err := os.MkdirTemp("", "pg")
	if err != nil {
		return "", err
	}
	cmd, err := asPostgres(&exec.Cmd{})
	if err == nil && cmd.SysProcAttr.Credential != nil {
		err = os.Chown(dir, int(cmd.SysProcAttr.Credential.Uid), int(cmd.SysProcAttr.Credential.Gid))
	}
	return dir, err
}

// startPostgres starts a server with further lines of configuration.
func startPostgres(config string) (*pgServer, error) {
	if _, err := pgBinary("initdb"); err != nil {
		return nil, err
	}
	dir, err := pgFolder()
	if err != nil {
		return nil, err
	}
	s := &pgServer{dir: dir}
	if err := pgRun("initdb", "-D", filepath.Join(dir, "data"), "-U", "timers", "-A", "trust", "-N", "-E", "UTF8"); err != nil {
		return nil, err
	}
	if err := s.configure(config); err != nil {
		return nil, err
	}
	return s, s.start()
}

// configure adds lines of configuration, and takes a free port.
func (s *pgServer) configure(config string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.port = l.Addr().(*net.TCPAddr).Port
	l.Close()
	s.url = fmt.Sprintf("postgres://timers@127.0.0.1:%d", s.port)
	f, err := os.OpenFile(filepath.Join(s.dir, "data", "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, "\nlisten_addresses = '127.0.0.1'\nport = %d\nunix_socket_directories = ''\nshared_buffers = 64MB\n%s\n", s.port, config)
	return err
}

// start starts the server, and waits until it answers.
func (s *pgServer) start() error {
	path, err := pgBinary("postgres")
	if err != nil {
		return err
	}
	if s.process, err = asPostgres(exec.Command(path, "-D", filepath.Join(s.dir, "data"))); err != nil {
		return err
	}
	s.process.Dir = "/"
	var said strings.Builder
	s.process.Stderr = &said
	if err := s.process.Start(); err != nil {
		return err
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		conn, err := pgx.Connect(context.Background(), s.url+"/postgres")
		if err == nil {
			return conn.Close(context.Background())
		}
		if time.Now().After(end) {
			s.stop()
			return fmt.Errorf("%w: %s", err, said.String())
		}
	}
}

// kill ends the server and its processes as a failure would.
func (s *pgServer) kill() {
	_ = syscall.Kill(-s.process.Process.Pid, syscall.SIGKILL)
	_ = s.process.Wait()
}

func (s *pgServer) stop() {
	_ = s.process.Process.Signal(syscall.SIGQUIT)
	_ = s.process.Wait()
	_ = os.RemoveAll(s.dir)
}
