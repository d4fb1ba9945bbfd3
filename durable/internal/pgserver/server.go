// Package pgserver starts servers of the installed PostgreSQL, in folders of their own, on loopback ports.
package pgserver

import (
	"context"
	"errors"
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

// command returns a command of PostgreSQL that runs as a user who may run a server.
func command(name string, args ...string) (*exec.Cmd, error) {
	path, err := binary(name)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = "/"
	return cmd, asPostgres(cmd)
}

func tool(name string, args ...string) error {
	cmd, err := command(name, args...)
	if err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

// Start makes a folder and starts a server with further lines of configuration.
func Start(config string) (*Server, error) {
	if _, err := binary("initdb"); err != nil {
		return nil, err
	}
	return start(config, "initdb", "-U", "timers", "-A", "trust", "-N", "-E", "UTF8")
}

// start makes a folder, has a tool fill it, and starts a server. After an error nothing is left.
func start(config, fill string, args ...string) (*Server, error) {
	dir, err := os.MkdirTemp("", "pg")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir}
	if err = give(dir); err == nil {
		err = tool(fill, append(args, "-D", s.data())...)
	}
	if err == nil {
		err = s.configure(config)
	}
	if err == nil {
		err = s.Restart()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// configure adds lines of configuration, and takes a free port.
func (s *Server) configure(config string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.port = l.Addr().(*net.TCPAddr).Port
	l.Close()
	f, err := os.OpenFile(filepath.Join(s.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, "\nlisten_addresses = '127.0.0.1'\nport = %d\nunix_socket_directories = ''\nshared_buffers = 64MB\n%s\n", s.port, config)
	return err
}

// Restart starts the server that was killed, and waits until it answers.
func (s *Server) Restart() (err error) {
	if s.process, err = command("postgres", "-D", s.data()); err != nil {
		return err
	}
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
	from := fmt.Sprintf("host=127.0.0.1 port=%d user=timers application_name=%s", s.port, name)
	return start("hot_standby = on", "pg_basebackup", "--checkpoint=fast", "-R", "-d", from)
}

// Promote has a standby lead.
func (s *Server) Promote() error {
	return tool("pg_ctl", "promote", "-w", "-D", s.data())
}
