package price

import (
	"fmt"
	"strconv"
	"time"

	"schedbench/catalog"
	"schedbench/harness/rundata"
)

// Keeper is who keeps timers, and how.
type Keeper struct {
	// Impl is hierwheel or time.AfterFunc, in memory, or one of those below.
	Impl string
	// Sync says when what is on disk is synced: see syncs. Nothing in memory is.
	Sync string
	// Servers is how many there are: 1 is embedded in the process, more are processes of
	// their own on the loopback interface, and 0 is none.
	Servers int
	// Interval is that of a poll.
	Interval time.Duration
	// Killed is whether the server that leads is killed while timers fire, and comes back.
	Killed bool
}

// Those who keep timers on disk.
const (
	Durable = "durable" // package durable: the engine brings a timer near, and hierwheel fires it
	Engine  = "engine"  // the engine alone, without a wheel near
	Poll    = "poll"    // a queue over the same engine that is polled
	Bare    = "bare"    // the client of the engine by itself: calls only, nothing fires
)

// The policies of syncing.
const (
	SyncInterval = "interval" // now and then: a power failure may lose the last moments
	SyncAlways   = "always"   // at each write
)

// inMemory reports whether nothing of it outlives the process.
func (k Keeper) inMemory() bool { return k.Servers == 0 }

// params tells its series with so many timers held from others.
func (k Keeper) params(held int) []rundata.Param {
	list := []rundata.Param{{Key: "impl", Value: k.Impl}}
	if !k.inMemory() {
		list = append(list, rundata.Param{Key: "sync", Value: k.Sync}, rundata.Param{Key: "servers", Value: strconv.Itoa(k.Servers)})
	}
	if k.Interval > 0 {
		list = append(list, rundata.Param{Key: "interval", Value: k.Interval.String()})
	}
	if k.Killed {
		list = append(list, rundata.Param{Key: "killed", Value: "leader"})
	}
	return append(list, rundata.Param{Key: "held", Value: strconv.Itoa(held)})
}

// keeperOf returns whose a series is.
func keeperOf(s *rundata.Series) Keeper {
	servers, _ := strconv.Atoi(s.Get("servers"))
	interval, _ := time.ParseDuration(s.Get("interval"))
	return Keeper{Impl: s.Get("impl"), Sync: s.Get("sync"), Servers: servers, Interval: interval, Killed: s.Get("killed") != ""}
}

// name says who it is in tables and on charts: syncing now and then, and one server, go
// without saying.
func (k Keeper) name() string {
	said := k.Impl
	switch k.Impl {
	case Engine:
		said = "engine alone"
	case Bare:
		said = "bare client"
	case Poll:
		said = fmt.Sprintf("poll each %v", k.Interval)
	}
	if k.Sync == SyncAlways {
		said += ", sync always"
	}
	if k.Servers > 1 {
		said += fmt.Sprintf(", %d servers", k.Servers)
	}
	if k.Killed {
		said += ", one killed"
	}
	return said
}

// Those that are compared by name.
var (
	wheel       = Keeper{Impl: catalog.Hier}
	afterFunc   = Keeper{Impl: catalog.RuntimeTimer}
	durableNow  = Keeper{Impl: Durable, Sync: SyncInterval, Servers: 1}
	durableSync = Keeper{Impl: Durable, Sync: SyncAlways, Servers: 1}
	cluster     = Keeper{Impl: Durable, Sync: SyncInterval, Servers: clusterSize}
	clusterSync = Keeper{Impl: Durable, Sync: SyncAlways, Servers: clusterSize}
	bareClient  = Keeper{Impl: Bare, Sync: SyncInterval, Servers: 1}
	killed      = Keeper{Impl: Durable, Sync: SyncInterval, Servers: clusterSize, Killed: true}
	engineAlone = Keeper{Impl: Engine, Sync: SyncInterval, Servers: 1}
)

// clusterSize is how many servers a cluster has.
const clusterSize = 3

// poller returns the poll of an interval.
func poller(interval time.Duration) Keeper {
	return Keeper{Impl: Poll, Sync: SyncInterval, Servers: 1, Interval: interval}
}
