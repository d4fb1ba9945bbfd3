// Command http is a server whose deadlines a driver keeps, under a load of its own over loopback.
package main

import (
	"context"
	"errors"
	"expvar"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"schedbench/clock"
	"schedbench/driver"
	"schedbench/hierwheel"
	"schedbench/record"
	"schedbench/workload/trace"
)

func main() {
	length := flag.Duration("for", 5*time.Second, "how long the load lasts")
	clients := flag.Int("clients", 50, "how many clients it has")
	path := flag.String("record", "", "file for what the server asks of its timers")
	flag.Parse()
	if err := run(*length, *clients, *path); err != nil {
		log.Fatal(err)
	}
}

func run(length time.Duration, clients int, path string) (err error) {
	wheel, err := hierwheel.New[driver.Task](time.Millisecond, 256)
	if err != nil {
		return err
	}
	d, err := driver.Start(wheel)
	if err != nil {
		return err
	}
	timers, end, err := recorded(d, path)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler(timers, d.Stats), ReadTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: 30 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(timers.Listener(l)) }()
	fmt.Println("listening on", l.Addr())
	answers := load("http://"+l.Addr().String(), length, clients)
	s := d.Stats()
	fmt.Printf("%d answers; timers made %d, stopped %d, fired %d, moved %d; lateness %v at worst, %v on average\n",
		answers, s.Scheduled, s.Stopped, s.Fired, s.Reset, s.LatenessWorst, s.LatenessSum/time.Duration(max(s.Fired, 1)))
	err = server.Shutdown(context.Background())
	if e := <-served; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return errors.Join(err, end())
}

// recorded returns the timers of a driver, recorded if there is a path, and what ends them.
func recorded(d *driver.Driver, path string) (timers *clock.Clock, end func() error, err error) {
	if path == "" {
		return clock.Over(d), func() error { _, err := d.Close(context.Background()); return err }, nil
	}
	file, err := trace.Create(path, trace.Header{Source: "examples/http"})
	if err != nil {
		return nil, nil, err
	}
	r, err := record.Wrap(d, file)
	if err != nil {
		return nil, nil, err
	}
	return clock.Over(r), func() error {
		_, err := r.Close(context.Background())
		return errors.Join(err, file.Close())
	}, nil
}

// handler answers after some work under a deadline, and shows the counts of the driver to expvar and to Prometheus.
func handler(timers *clock.Clock, stats func() driver.Stats) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := timers.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		select {
		case <-timers.After(time.Duration(rand.Int64N(int64(20 * time.Millisecond)))): // the work
			fmt.Fprintln(w, "done")
		case <-ctx.Done():
			http.Error(w, ctx.Err().Error(), http.StatusGatewayTimeout)
		}
	})

	vars := new(expvar.Map)
	vars.Set("timers", expvar.Func(func() any { return stats() }))
	mux.HandleFunc("/debug/vars", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, vars) })

	registry := prometheus.NewRegistry()
	for name, of := range map[string]func(driver.Stats) float64{
		"timers_made_total":            func(s driver.Stats) float64 { return float64(s.Scheduled) },
		"timers_fired_total":           func(s driver.Stats) float64 { return float64(s.Fired) },
		"timers_stopped_total":         func(s driver.Stats) float64 { return float64(s.Stopped) },
		"timers_rejected_total":        func(s driver.Stats) float64 { return float64(s.Rejected) },
		"timer_wakeups_total":          func(s driver.Stats) float64 { return float64(s.Wakeups) },
		"timer_lateness_seconds_total": func(s driver.Stats) float64 { return s.LatenessSum.Seconds() },
		"timer_lateness_worst_seconds": func(s driver.Stats) float64 { return s.LatenessWorst.Seconds() },
	} {
		read := func() float64 { return of(stats()) }
		if strings.HasSuffix(name, "_total") {
			registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name}, read))
		} else {
			registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name}, read))
		}
	}
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return mux
}

// load has clients ask until the time is over, each on a connection of its own, and returns how many answers came.
func load(url string, length time.Duration, clients int) int64 {
	ctx, cancel := context.WithTimeout(context.Background(), length)
	defer cancel()
	var answers atomic.Int64
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for ctx.Err() == nil {
				if get(ctx, client, url) == nil {
					answers.Add(1)
				}
			}
		})
	}
	group.Wait()
	return answers.Load()
}

func get(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err = io.Copy(io.Discard, answer.Body); err == nil && answer.StatusCode != http.StatusOK {
		err = errors.New(answer.Status)
	}
	return err
}
