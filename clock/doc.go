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
// # As package time, and where not
//
//	time, context, net                                         | here                                                                              | test
//	nothing begins early                                       | the same                                                                          | TestAsTime
//	AfterFunc: f has a goroutine of its own                    | the same                                                                          | TestASlowTaskDelaysNoOther
//	Stop and Reset report whether it was pending               | the same; after true f does not begin at the old deadline                         | TestAsTime
//	Reset arms a timer that fired or was stopped               | the same                                                                          | TestAsTime
//	no stale value after Stop or Reset                         | the same                                                                          | TestAsTime
//	an unread value counts as pending                          | the same                                                                          | TestAsTime
//	a Ticker drops ticks for a slow receiver                   | the same, and keeps its phase                                                     | TestTickerAsTime
//	NewTicker and its Reset panic at 0                         | the same                                                                          | TestTickerRefusesNoPeriod
//	every delay is accepted                                    | the same: the runtime keeps what a driver refuses                                 | TestRefusedGoesToTheRuntime
//	the channel is unbuffered: len and cap 0                   | different: cap is 1                                                               | TestChannelDeparts
//	a value that is read late is the deadline                  | different: it is the time of firing                                               | TestChannelDeparts
//	an unreferenced timer is collected                         | different: it stays until it fires or is stopped                                  | TestChannelDeparts
//	a context's Err, Cause and Deadline                        | the same                                                                          | TestContextAsContext
//	children of the context end with it                        | the same, with DeadlineExceeded                                                   | TestChildrenOfAContext
//	when the cancel of a parent returns, the context has ended | different: a goroutine passes the end on, a moment later                          | TestParentsEndArrives
//	a deadline ends a blocked Read or Write                    | the same, and os.ErrDeadlineExceeded                                              | TestConnDeadlines
//	a later deadline revives the connection                    | the same                                                                          | TestConnDeadlines
//	*net.TCPConn: sendfile, CloseWrite, ...                    | different: hidden; Conn.NetConn returns it                                        | TestConnDeadlines
//	nothing to close                                           | different: close the driver; what is pending then does not fire until it is Reset | TestCloseLosesThePending
//
// A task of the driver sends to a channel, closes one, or starts a goroutine; it never blocks. Inline, the default of
// driver.Start, is therefore the right way to run them. A Pool that drops tasks loses timers.
package clock
