// Package clock has the timers of package time, and the deadlines of package context and of net.Conn, over a driver.
//
//	d, err := driver.Start(wheel)    // tasks run inline: this package needs no more
//	timers := clock.Over(d)          // or clock.Over(recorder), to record what a program asks
//	timers.AfterFunc(delay, f)       // in place of time.AfterFunc
//	timers.NewTimer(delay)           // of time.NewTimer; NewTicker and After too
//	timers.WithTimeout(ctx, delay)   // of context.WithTimeout; WithDeadline too
//	timers.Conn(c)                   // a net.Conn whose deadlines the driver keeps; Listener too
//
// A Clock is a value that a program keeps, and not a state of this package: a test in a
// testing/synctest bubble needs a driver of its own, and only the program knows when to close one.
//
// # Where not as the standard library
//
//   - The channel of a timer has room for 1 value. A value that is read late is the time of firing, not the deadline.
//   - A timer without a reference stays until it fires or is stopped.
//   - A goroutine passes the end of a parent context on, a moment after the parent's cancel has returned.
//   - A Conn hides what a *net.TCPConn has besides, as sendfile and CloseWrite. Conn.NetConn returns the connection.
//   - After Close of the driver a timer that was pending does not fire until it is Reset.
//
// docs/in-place-of-afterfunc.md has these, and what is the same, with a test for each.
//
// A task of the driver sends to a channel, closes one, or starts a goroutine; it never blocks. Inline, the default of
// driver.Start, is therefore the right way to run them. A Pool that drops tasks loses timers.
package clock
