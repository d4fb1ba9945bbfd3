package price

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// loopback is where the servers of a cluster are.
const loopback = "127.0.0.1"

// serverGroup is the servers of a cluster, each a process of its own.
type serverGroup struct {
	jobs    []job // of each, by number
	servers []*child
}

// inCluster has a job done whose timers are kept by servers of a cluster, new ones in new
// folders.
func (m *measuring) inCluster(ctx context.Context, j job, do func(context.Context, job, *serverGroup) (*answer, error)) (a *answer, err error) {
	dir := m.newDir()
	defer os.RemoveAll(dir)
	routes, err := freePorts(j.Keeper.Servers)
	if err != nil {
		return nil, err
	}
	g := &serverGroup{}
	defer func() {
		for _, s := range g.servers {
			err = errors.Join(err, s.kill())
		}
	}()
	for i := range j.Keeper.Servers {
		g.jobs = append(g.jobs, job{Do: doServer, Keeper: j.Keeper, Dir: filepath.Join(dir, fmt.Sprint(i)), Server: i, Routes: routes})
		s, err := m.start(ctx, g.jobs[i])
		if err != nil {
			return nil, err
		}
		g.servers = append(g.servers, s)
	}
	var urls []string
	for _, s := range g.servers {
		is, err := s.answer()
		if err != nil {
			return nil, fmt.Errorf("a server of %s: %w", j.Keeper.name(), err)
		}
		urls, j.Processes = append(urls, is.URL), append(j.Processes, s.cmd.Process.Pid)
	}
	j.URL = strings.Join(urls, ",")
	return do(ctx, j, g)
}

// runBeside is run for a job whose servers are left alone.
func (m *measuring) runBeside(ctx context.Context, j job, _ *serverGroup) (*answer, error) {
	return m.run(ctx, j)
}

// freePorts returns ports that nobody listened on a moment ago.
func freePorts(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", loopback+":0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// serverName is the name of a server by its number.
func serverName(i int) string { return fmt.Sprint("server-", i) }

// serve is one server of a cluster. It answers when the cluster can keep timers.
func (w *worker) serve(answered func(*answer) error) error {
	var routes []*url.URL
	for _, port := range w.Routes {
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprint(loopback, ":", port)})
	}
	s, err := server.NewServer(&server.Options{
		ServerName: serverName(w.Server), Host: loopback, Port: server.RANDOM_PORT, NoSigs: true,
		JetStream: true, StoreDir: w.Dir, SyncAlways: w.Keeper.Sync == SyncAlways, SyncInterval: time.Second, // as of those embedded
		Cluster: server.ClusterOpts{Name: "price", Host: loopback, Port: w.Routes[w.Server]}, Routes: routes,
	})
	if err != nil {
		return err
	}
	s.Start()
	if !s.ReadyForConnections(engineReady) {
		return errors.New("the server is not ready")
	}
	if err := electedFor(s); err != nil {
		return err
	}
	return answered(&answer{URL: s.ClientURL()})
}

// clusterReady is how long servers may take until they agree on who leads: one election takes up to 9 s.
const clusterReady = 30 * time.Second

// electedFor waits until the cluster of a server can create a stream on all of its servers.
func electedFor(s *server.Server) error {
	conn, err := nats.Connect(s.ClientURL())
	if err != nil {
		return err
	}
	defer conn.Close()
	js, err := conn.JetStream()
	if err != nil {
		return err
	}
	for until := time.Now().Add(clusterReady); ; time.Sleep(50 * time.Millisecond) {
		if s.JetStreamIsCurrent() {
			if _, err = js.AccountInfo(); err == nil {
				return nil
			}
		}
		if time.Now().After(until) {
			return fmt.Errorf("the servers have not found each other: %w", err)
		}
	}
}
