// Package durable keeps timers that outlive the process that set them, and that several processes
// may share.
//
// A timer is data: the kind of a task, which names a handler, and a payload. It is kept by NATS
// JetStream, whose message schedules are timers on disk, replicated if there are several servers:
// by a server inside this process by default, or by one or a cluster of them at a URL. That engine
// looks for what is due four times a second at most. So it is asked to hand a timer out a lead
// before its instant, to one of the processes that have registered handlers, which holds it in a
// driver of this project until the instant has come: the engine brings it near, the wheel brings
// it on time.
//
//	timers, err := durable.Open(ctx, durable.Options{Dir: "timers"})
//	err = timers.Register("close-order", func(ctx context.Context, task durable.Task) error { ... })
//	id, err := timers.ScheduleAfter(ctx, 30*time.Minute, "close-order", order)
//	ok, err := timers.Cancel(ctx, id)
//	err = timers.Close(ctx)
//
// # Guarantees
//
//   - What Schedule has returned without an error runs, unless it is cancelled: at least once, also
//     if the process is killed. If the machine loses power, what was scheduled since the disk was
//     last told to write may be lost: see Sync.
//   - Nothing runs before its instant, by the clock of the machine that runs it.
//   - What Cancel has said is cancelled does not begin any more, and what Reset has moved does not
//     begin before its new instant. It may have begun before in a process that has died since.
//   - A task that fails or panics is tried again, a stated number of times; then it is a dead letter,
//     which Dead lists.
//   - After a Close that returned nil, nothing that has run runs again.
//
// A task begins twice if its process dies after it has begun and before the engine has written down that
// it has ended; if a worker is cut off from the engine for longer than Options.Redelivery while the
// task runs; or if the context of Close ends before the task does. So handlers should do no harm when they
// run twice.
//
// The examples of [WithID], [Timers.ScheduleAsync], [Timers.Reset], [Timers.Pending] and [Timers.Dead]
// show the rest.
package durable
