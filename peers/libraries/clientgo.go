package libraries

import (
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"

	"schedbench/live"
)

// clientGo are timers of a workqueue.TypedDelayingInterface: items, known by their address, and a worker that runs them.
type clientGo struct {
	queue  workqueue.TypedDelayingInterface[*item]
	worker sync.WaitGroup
}

type item struct{ task func() }

func openClientGo() *clientGo {
	c := &clientGo{queue: workqueue.NewTypedDelayingQueue[*item]()}
	c.worker.Go(func() {
		for {
			i, ended := c.queue.Get()
			if ended {
				return
			}
			i.task()
			c.queue.Done(i)
		}
	})
	return c
}

func (c *clientGo) AfterFunc(delay time.Duration, task func()) (live.Timer, error) {
	c.queue.AddAfter(&item{task}, delay)
	return nil, nil
}

func (c *clientGo) Close() error {
	c.queue.ShutDown()
	c.worker.Wait()
	return nil
}
