package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"schedbench/durable/internal/pgserver"
	"schedbench/live"
)

// The servers that contestants need: the packages of Debian that have them.
const postgres, redisServer = "postgresql", "redis-server"

// server is one that runs for a run.
type server struct {
	URL  string // of PostgreSQL with a %s for the name of a database; the path of Redis's socket
	PID  int
	dir  string
	stop func() error
}

// servers are those of a run, by package.
type servers map[string]*server

const serversEnv = "SCHEDBENCH_DURABLE_SERVERS" // tells the processes of a run where its servers are

// need starts a server unless it runs.
func (all servers) need(name string) (err error) {
	if name == "" || all[name] != nil {
		return nil
	}
	s := &server{stop: func() error { return nil }}
	if s.dir, err = os.MkdirTemp("", "durable-"); err == nil {
		err = map[string]func() error{postgres: s.startPostgres, redisServer: s.startRedis}[name]()
	}
	if err != nil {
		return errors.Join(err, servers{name: s}.stopAll())
	}
	all[name] = s
	return nil
}

// stopAll ends the servers that this process has started, and removes what they kept.
func (all servers) stopAll() (err error) {
	for _, s := range all {
		if s.stop != nil {
			err = errors.Join(err, s.stop(), os.RemoveAll(s.dir))
		}
	}
	return err
}

// startRedis starts Redis, which syncs its log each second.
func (s *server) startRedis() error {
	s.URL = filepath.Join(s.dir, "socket")
	cmd := exec.Command(redisServer, "--port", "0", "--unixsocket", s.URL, "--dir", s.dir, "--save", "", "--appendonly", "yes", "--appendfsync", "everysec")
	if err := cmd.Start(); err != nil {
		return err
	}
	s.PID = cmd.Process.Pid
	s.stop = func() error { return errors.Join(cmd.Process.Signal(os.Interrupt), cmd.Wait()) }
	return s.redis(func(c *redis.Client) error { return c.Ping(context.Background()).Err() })
}

// redis has f talk to the server, which may just have been started.
func (s *server) redis(f func(*redis.Client) error) error {
	c := redis.NewClient(&redis.Options{Network: "unix", Addr: s.URL, MaxRetries: 100, MaxRetryBackoff: 50 * time.Millisecond})
	return errors.Join(f(c), c.Close())
}

func (s *server) startPostgres() error {
	p, err := pgserver.Start("shared_buffers = 128MB")
	if err == nil {
		s.URL, s.PID, s.stop = p.URL("%s"), p.PID(), func() error { p.Stop(); return nil }
	}
	return err
}

// query asks the database of the server itself; into is where its answer goes, nil for none.
func (s *server) query(sql string, into ...any) error {
	ctx := context.Background()
	c, err := pgx.Connect(ctx, fmt.Sprintf(s.URL, "postgres"))
	if err != nil {
		return err
	}
	if len(into) == 0 {
		_, err = c.Exec(ctx, sql)
	} else {
		err = c.QueryRow(ctx, sql).Scan(into...)
	}
	return errors.Join(err, c.Close(ctx))
}

// cpu returns the CPU time of the server and of the processes that it has started, 0 without one.
func (s *server) cpu() (sum time.Duration) {
	if s == nil {
		return 0
	}
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", s.PID))
	for _, pid := range append(strings.Fields(string(children)), strconv.Itoa(s.PID)) {
		n, _ := strconv.Atoi(pid)
		u, _ := live.ReadUsageOf(n)
		sum += u.CPU
	}
	return sum
}

// site is where a contestant keeps its timers for a turn. It is new, and nothing is there.
type site struct {
	place
	size   func() (bytes float64, err error)
	remove func() error
}

// newSite makes one on a server of a kind, or in a folder of its own without.
func newSite(on *server, kind, scratch string) (*site, error) {
	switch kind {
	case postgres:
		name := fmt.Sprintf("t%d_%d", os.Getpid(), time.Now().UnixNano())
		return &site{place: place{URL: fmt.Sprintf(on.URL, name)}, size: func() (n float64, err error) {
			err = on.query("SELECT pg_database_size('"+name+"')::float8", &n)
			return n, err
		}, remove: func() error { return on.query("DROP DATABASE " + name + " WITH (FORCE)") }}, on.query("CREATE DATABASE " + name)
	case redisServer:
		flush := func() error {
			return on.redis(func(c *redis.Client) error { return c.FlushAll(context.Background()).Err() })
		}
		return &site{place: place{URL: on.URL}, size: on.redisMemory, remove: flush}, flush()
	}
	dir, err := os.MkdirTemp(scratch, "durable-")
	return &site{place: place{Dir: dir}, size: func() (bytes float64, err error) {
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		for _, name := range files {
			if info, err := os.Stat(name); err == nil { // one that was removed meanwhile is none
				bytes += float64(info.Size())
			}
		}
		return bytes, err
	}, remove: func() error { return os.RemoveAll(dir) }}, err
}

func (s *server) redisMemory() (bytes float64, err error) {
	err = s.redis(func(c *redis.Client) error {
		info, err := c.Info(context.Background(), "memory").Result()
		if _, rest, _ := strings.Cut(info, "used_memory:"); err == nil {
			_, err = fmt.Sscan(rest, &bytes)
		}
		return err
	})
	return bytes, err
}
