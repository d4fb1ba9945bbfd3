package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/redis/go-redis/v9"
)

// site is where a contestant keeps its timers for a turn. It is new, and nothing is there.
type site struct {
	place
	server *server // nil without
	// size returns how many bytes are there.
	size   func(context.Context) (float64, error)
	remove func() error
}

// sites counts those of this process.
var sites atomic.Int64

// newSite makes one.
func (m *measuring) newSite(ctx context.Context, c contestant) (*site, error) {
	s := &site{server: m.servers[c.server]}
	switch {
	case c.server == postgres:
		name := fmt.Sprintf("t%d_%d", os.Getpid(), sites.Add(1))
		s.URL = fmt.Sprintf(s.server.URL, name)
		s.size = func(ctx context.Context) (n float64, err error) {
			err = s.server.query(ctx, "SELECT pg_database_size('"+name+"')::float8", &n)
			return n, err
		}
		s.remove = func() error {
			return s.server.query(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)", nil)
		}
		return s, s.server.query(ctx, "CREATE DATABASE "+name, nil)
	case c.server == redisServer:
		s.URL = s.server.URL
		s.size = s.server.redisMemory
		s.remove = func() error {
			return s.server.redis(func(c *redis.Client) error { return c.FlushAll(context.Background()).Err() })
		}
		return s, s.remove()
	}
	dir, err := os.MkdirTemp(m.Scratch, "durable-")
	s.Dir, s.remove = dir, func() error { return os.RemoveAll(dir) }
	s.size = func(context.Context) (float64, error) { return sizeOf(dir) }
	return s, err
}

// sizeOf sums up the files in a folder.
func sizeOf(dir string) (bytes float64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			bytes += float64(info.Size())
		}
		return err
	})
	return bytes, err
}

// redisMemory returns how many bytes Redis has in use.
func (s *server) redisMemory(ctx context.Context) (bytes float64, err error) {
	err = s.redis(func(c *redis.Client) error {
		info, err := c.Info(ctx, "memory").Result()
		if err != nil {
			return err
		}
		for line := range strings.Lines(info) {
			if value, ok := strings.CutPrefix(strings.TrimSpace(line), "used_memory:"); ok {
				bytes, err = strconv.ParseFloat(value, 64)
				return err
			}
		}
		return errors.New("Redis does not say how much memory it uses")
	})
	return bytes, err
}
