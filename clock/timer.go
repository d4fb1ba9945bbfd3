package clock

import "time"

// Timer is in place of a time.Timer. Make one with AfterFunc or NewTimer.
type Timer struct {
	C <-chan time.Time // nil after AfterFunc

	ch chan time.Time
	a  alarm
}

// AfterFunc is in place of time.AfterFunc: it runs f in a goroutine of its own after delay.
func (c *Clock) AfterFunc(delay time.Duration, f func()) *Timer {
	t := &Timer{}
	t.a.clock, t.a.do = c, func() { go f() }
	t.Reset(delay)
	return t
}

// NewTimer is in place of time.NewTimer: it sends the time on C after delay.
func (c *Clock) NewTimer(delay time.Duration) *Timer {
	ch := make(chan time.Time, 1)
	t := &Timer{C: ch, ch: ch}
	t.a.clock, t.a.do = c, func() { send(ch) }
	t.Reset(delay)
	return t
}

// After is in place of time.After: NewTimer(delay).C.
func (c *Clock) After(delay time.Duration) <-chan time.Time { return c.NewTimer(delay).C }

// Stop keeps the timer from firing, and reports whether it was pending. After Stop has returned true, nothing is
// received from C, and f does not begin.
func (t *Timer) Stop() bool {
	t.a.mu.Lock()
	defer t.a.mu.Unlock()
	unread := emptied(t.ch)
	return t.a.clear() || unread
}

// Reset has the timer fire after delay from now, also if it has fired or was stopped, and reports whether it was
// pending. No value of the old deadline is received after Reset.
func (t *Timer) Reset(delay time.Duration) bool {
	t.a.mu.Lock()
	defer t.a.mu.Unlock()
	unread := emptied(t.ch)
	return t.a.set(delay) || unread
}

// Ticker is in place of a time.Ticker. Make one with NewTicker.
type Ticker struct {
	C <-chan time.Time

	ch     chan time.Time
	period time.Duration // protected by the alarm's mutex, as is next
	next   time.Time
	a      alarm
}

// NewTicker is in place of time.NewTicker. It panics if period is not positive.
func (c *Clock) NewTicker(period time.Duration) *Ticker {
	ch := make(chan time.Time, 1)
	t := &Ticker{C: ch, ch: ch}
	t.a.clock, t.a.do = c, t.tick
	t.Reset(period)
	return t
}

// tick sends the time and goes on to the next instant of the phase that has not passed.
func (t *Ticker) tick() {
	send(t.ch)
	late := time.Since(t.next)
	t.next = t.next.Add(t.period * (1 + max(late, 0)/t.period))
	t.a.set(time.Until(t.next))
}

// Reset begins again with another period. It panics if that is not positive.
func (t *Ticker) Reset(period time.Duration) {
	if period <= 0 {
		panic("clock: period of a Ticker is " + period.String() + ", want more than 0")
	}
	t.a.mu.Lock()
	defer t.a.mu.Unlock()
	emptied(t.ch)
	t.period, t.next = period, time.Now().Add(period)
	t.a.set(period)
}

// Stop ends the ticks. It does not close C.
func (t *Ticker) Stop() {
	t.a.mu.Lock()
	defer t.a.mu.Unlock()
	emptied(t.ch)
	t.a.clear()
}

// send sends the time to a channel, unless the channel holds an unread value.
func send(ch chan time.Time) {
	select {
	case ch <- time.Now():
	default:
	}
}

// emptied takes an unread value back, and reports whether it did.
func emptied(ch chan time.Time) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}
