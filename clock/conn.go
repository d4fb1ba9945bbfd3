package clock

import (
	"net"
	"time"
)

// past is a deadline that ends blocked calls at once.
var past = time.Unix(1, 0)

// Conn is a connection whose deadlines the driver keeps. Make one with Clock.Conn.
type Conn struct {
	net.Conn
	read, write lapse
}

// lapse is the deadline of one direction.
type lapse struct {
	a       alarm
	passed  bool // protected by the alarm's mutex, as is closed
	closed  bool
	forward func(time.Time) error // to the connection
}

// Conn returns c with its deadlines kept by the driver. Nothing else may set deadlines of c.
func (c *Clock) Conn(conn net.Conn) *Conn {
	k := &Conn{Conn: conn}
	k.read.begin(c, conn.SetReadDeadline)
	k.write.begin(c, conn.SetWriteDeadline)
	return k
}

// NetConn returns the connection within.
func (k *Conn) NetConn() net.Conn { return k.Conn }

// SetReadDeadline implements net.Conn. Moving a deadline costs one Reset of the driver.
func (k *Conn) SetReadDeadline(t time.Time) error { return k.read.set(t) }

// SetWriteDeadline implements net.Conn.
func (k *Conn) SetWriteDeadline(t time.Time) error { return k.write.set(t) }

// SetDeadline implements net.Conn: it sets both deadlines.
func (k *Conn) SetDeadline(t time.Time) error {
	if err := k.read.set(t); err != nil {
		return err
	}
	return k.write.set(t)
}

// Close implements net.Conn. It takes the deadlines back.
func (k *Conn) Close() error {
	k.read.drop()
	k.write.drop()
	return k.Conn.Close()
}

func (l *lapse) begin(c *Clock, forward func(time.Time) error) {
	l.forward = forward
	l.a.clock, l.a.do = c, func() {
		l.passed = true
		_ = forward(past) // fails only on a connection that was closed
	}
}

// set moves the deadline. The zero time is none.
func (l *lapse) set(t time.Time) error {
	left := time.Until(t)
	l.a.mu.Lock()
	defer l.a.mu.Unlock()
	if l.closed {
		return l.forward(t) // which has the error
	}
	if now := left <= 0 && !t.IsZero(); now || l.passed {
		l.a.clear()
		revived := time.Time{}
		if now {
			revived = past
		}
		if err := l.forward(revived); err != nil {
			return err
		}
		l.passed = now
	}
	if left > 0 {
		l.a.set(left)
	} else {
		l.a.clear()
	}
	return nil
}

func (l *lapse) drop() {
	l.a.mu.Lock()
	defer l.a.mu.Unlock()
	l.closed = true
	l.a.clear()
}

// Listener returns a listener whose connections have their deadlines kept by the driver.
func (c *Clock) Listener(l net.Listener) net.Listener { return acceptor{l, c} }

type acceptor struct {
	net.Listener
	clock *Clock
}

// Accept implements net.Listener.
func (l acceptor) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.clock.Conn(conn), nil
}
