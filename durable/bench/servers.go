package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"schedbench/live"
)

// The servers that contestants need, and the packages of Debian that have them.
const (
	postgres    = "postgresql"
	redisServer = "redis-server"
)

// server is one that runs for a run: on a socket in a folder, and on no port.
type server struct {
	URL string
	PID int

	cmd *exec.Cmd
	dir string
}

// servers are those of a run, by package.
type servers map[string]*server

// serversEnv tells the processes of a run where its servers are.
const serversEnv = "SCHEDBENCH_DURABLE_SERVERS"

// serverPatience is how long a server may take to begin and to end.
const serverPatience = 20 * time.Second

// startServers starts those of some names, or finds those that the run has. missing says which are
// not there, and why.
func startServers(ctx context.Context, names []string) (all servers, missing []string, err error) {
	all = servers{}
	if given := os.Getenv(serversEnv); given != "" {
		return all, nil, json.Unmarshal([]byte(given), &all)
	}
	start := map[string]func(context.Context, *server) error{postgres: startPostgres, redisServer: startRedis}
	for _, name := range names {
		s := &server{}
		if s.dir, err = os.MkdirTemp("", "durable-"); err != nil {
			return nil, nil, errors.Join(err, all.stop())
		}
		if err := start[name](ctx, s); err != nil {
			missing = append(missing, fmt.Sprintf("contestants that need %s are left out: %v", name, err))
			_ = s.stop()
			continue
		}
		all[name] = s
	}
	told, err := json.Marshal(all)
	return all, missing, errors.Join(err, os.Setenv(serversEnv, string(told)))
}

// stop ends the servers that this process has started, and removes what they kept.
func (all servers) stop() (err error) {
	for _, s := range all {
		err = errors.Join(err, s.stop())
	}
	return err
}

func (s *server) stop() error {
	if s.dir == "" {
		return nil
	}
	if s.cmd != nil && s.cmd.Process != nil {
		if p, err := os.FindProcess(s.PID); err == nil && s.PID > 0 {
			_ = p.Signal(os.Interrupt)
		}
		timer := time.AfterFunc(serverPatience, func() { _ = s.cmd.Process.Kill() })
		_ = s.cmd.Wait() // says that it was interrupted
		timer.Stop()
	}
	return os.RemoveAll(s.dir)
}

// await waits until a server answers.
func (s *server) await(ctx context.Context, answers func(context.Context) error) (err error) {
	for end := time.Now().Add(serverPatience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if err = errors.Join(answers(ctx), ctx.Err()); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// startRedis starts Redis, which syncs its log each second.
func startRedis(ctx context.Context, s *server) error {
	path, err := exec.LookPath(redisServer)
	if err != nil {
		return err
	}
	s.URL = filepath.Join(s.dir, "socket")
	s.cmd = exec.Command(path, "--port", "0", "--unixsocket", s.URL, "--dir", s.dir, "--save", "", "--appendonly", "yes", "--appendfsync", "everysec")
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.PID = s.cmd.Process.Pid
	return s.await(ctx, func(ctx context.Context) error {
		return s.redis(func(c *redis.Client) error { return c.Ping(ctx).Err() })
	})
}

// redis has f talk to the server.
func (s *server) redis(f func(*redis.Client) error) error {
	c := redis.NewClient(&redis.Options{Network: "unix", Addr: s.URL})
	return errors.Join(f(c), c.Close())
}

// startPostgres makes a cluster of databases with the defaults of initdb, and starts its server.
func startPostgres(ctx context.Context, s *server) error {
	bin, err := postgresPrograms()
	if err != nil {
		return err
	}
	data := filepath.Join(s.dir, "data")
	as, err := owner(s.dir)
	if err != nil {
		return err
	}
	initdb := append(as, filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if said, err := exec.CommandContext(ctx, initdb[0], initdb[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, strings.TrimSpace(string(said)))
	}
	serve := append(as, filepath.Join(bin, "postgres"), "-D", data, "-k", s.dir, "-c", "listen_addresses=")
	s.cmd = exec.Command(serve[0], serve[1:]...)
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.URL = "postgres:///%s?user=postgres&host=" + s.dir
	return s.await(ctx, func(ctx context.Context) error {
		if err := s.query(ctx, "SELECT 1", nil); err != nil {
			return err
		}
		first, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
		if err == nil {
			line, _, _ := strings.Cut(string(first), "\n")
			s.PID, err = strconv.Atoi(line)
		}
		return err
	})
}

// postgresPrograms returns the folder of the newest PostgreSQL here.
func postgresPrograms() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) > 0 {
		return filepath.Dir(slices.Max(found)), nil
	}
	path, err := exec.LookPath("initdb")
	return filepath.Dir(path), err
}

// owner gives a folder to the user that runs PostgreSQL, which refuses to be run by root, and returns
// the beginning of its commands.
func owner(dir string) ([]string, error) {
	if runtime.GOOS == "windows" || os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return nil, err
	}
	return []string{"runuser", "-u", u.Username, "--"}, os.Chown(dir, uid, gid)
}

// query asks the database of the server itself; into is where its answer goes, nil for none.
func (s *server) query(ctx context.Context, sql string, into any) error {
	c, err := pgx.Connect(ctx, fmt.Sprintf(s.URL, "postgres"))
	if err != nil {
		return err
	}
	if into == nil {
		_, err = c.Exec(ctx, sql)
	} else {
		err = c.QueryRow(ctx, sql).Scan(into)
	}
	return errors.Join(err, c.Close(context.WithoutCancel(ctx)))
}

// cpu returns the CPU time of the server and of the processes that it has started.
func (s *server) cpu() (sum time.Duration) {
	if s == nil {
		return 0
	}
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", s.PID, s.PID))
	for _, pid := range append(strings.Fields(string(children)), strconv.Itoa(s.PID)) {
		n, _ := strconv.Atoi(pid)
		u, _ := live.ReadUsageOf(n)
		sum += u.CPU
	}
	return sum
}
