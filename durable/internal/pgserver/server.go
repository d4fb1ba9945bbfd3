// Package pgserver starts servers of PostgreSQL in folders of their own, on loopback ports, from the binaries
// that are installed. Tests and the example use it.
package pgserver

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Server is a server that runs.
type Server struct {
	dir     string
	port    int
	process *exec.Cmd
}

// URL is that of a database; "postgres" is there from the start.
func (s *Server) URL(database string) string {
	return fmt.Sprintf("postgres://timers@127.0.0.1:%d/%s", s.port, database)
}

// PID is that of its first process.
func (s *Server) PID() int { return s.process.Process.Pid }

func binary(name string) (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(found) > 0 {
		return found[len(found)-1], nil
	}
	return exec.LookPath(name)
}

// tool runs a tool of PostgreSQL to its end.
func tool(name string, args ...string) error {
	path, err := binary(name)
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

// folder makes a folder that belongs to the user of the server.
func folder() (string, error) {
	dir, err := os.MkdirTemp("", "pg")
	if err != nil {
		return "", err
	}
	return dir, give(dir)
}

// Start makes a folder and starts a server with further lines of configuration.
func Start(config string) (*Server, error) {
	if _, err := binary("initdb"); err != nil {
		return nil, err
	}
	dir, err := folder()
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir}
	if err := tool("initdb", "-D", filepath.Join(dir, "data"), "-U", "timers", "-A", "trust", "-N", "-E", "UTF8"); err != nil {
		return nil, err
	}
	if err := s.configure(config); err != nil {
		return nil, err
	}
	return s, s.Restart()
}

// configure adds lines of configuration, and takes a free port.
func (s *Server) configure(config string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.port = l.Addr().(*net.TCPAddr).Port
	l.Close()
	f, err := os.OpenFile(filepath.Join(s.dir, "data", "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, "\nlisten_addresses = '127.0.0.1'\nport = %d\nunix_socket_directories = ''\nshared_buffers = 64MB\n%s\n", s.port, config)
	return err
}

// Restart starts the server that was killed, and waits until it answers.
func (s *Server) Restart() error {
	path, err := binary("postgres")
	if err != nil {
		return err
	}
	if s.process, err = asPostgres(exec.Command(path, "-D", filepath.Join(s.dir, "data"))); err != nil {
		return err
	}
	s.process.Dir = "/"
	var said strings.Builder // a pipe: Wait returns when all processes of a killed server have gone, too
	s.process.Stderr = &said
	if err := s.process.Start(); err != nil {
		return err
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		conn, err := pgx.Connect(context.Background(), s.URL("postgres"))
		if err == nil {
			return conn.Close(context.Background())
		}
		if time.Now().After(end) {
			s.Stop()
			return fmt.Errorf("%w: %s", err, said.String())
		}
	}
}

// Kill ends the server and its processes as a failure would.
func (s *Server) Kill() {
	killGroup(s.process)
	_ = s.process.Wait()
}

// Stop ends the server and removes its folder.
func (s *Server) Stop() {
	_ = s.process.Process.Signal(quit)
	_ = s.process.Wait()
	_ = os.RemoveAll(s.dir)
}

// Standby starts a server that follows this one, by a name for synchronous_standby_names.
func (s *Server) Standby(name string) (*Server, error) {
	dir, err := folder()
	if err != nil {
		return nil, err
	}
	f := &Server{dir: dir}
	from := fmt.Sprintf("host=127.0.0.1 port=%d user=timers application_name=%s", s.port, name)
	if err := tool("pg_basebackup", "--checkpoint=fast", "-D", filepath.Join(dir, "data"), "-R", "-d", from); err != nil {
		return nil, err
	}
	if err := f.configure("hot_standby = on"); err != nil {
		return nil, err
	}
	return f, f.Restart()
}

// Promote has a standby lead.
func (s *Server) Promote() error {
	return tool("pg_ctl", "promote", "-w", "-D", filepath.Join(s.dir, "data"))
}
