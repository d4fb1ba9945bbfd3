package clock_test

import (
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/clock"
	"schedbench/internal/must"
)

func TestConnDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := held(t)
		near, far := net.Pipe()
		defer far.Close()
		k := c.Conn(near)
		require.Same(t, near, k.NetConn())

		began := time.Now()
		require.NoError(t, k.SetDeadline(began.Add(ms)))
		require.NoError(t, k.SetReadDeadline(began.Add(2*ms)))
		_, err := k.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Equal(t, 2*ms, time.Since(began))
		_, err = k.Write([]byte{1})
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)

		require.NoError(t, k.SetDeadline(time.Now().Add(time.Hour)), "and it lives again")
		go far.Write([]byte{7})
		require.Equal(t, []byte{7}, must.Get(io.ReadAll(io.LimitReader(k, 1)))(t))
		require.Equal(t, 2, d.Len())
		require.NoError(t, k.Close())
		require.Zero(t, d.Len())
		require.Error(t, k.SetDeadline(time.Now().Add(time.Hour)))
		require.Zero(t, d.Len(), "a closed connection takes no timer")
	})
}

// The deadlines of net.Pipe are the model: reads time out at the same instants.
func TestReadDeadlinesAsNet(t *testing.T) {
	read := func(t *testing.T, todo []step, of func(*testing.T, net.Conn) net.Conn) (seen []any) {
		synctest.Test(t, func(t *testing.T) {
			near, far := net.Pipe()
			defer far.Close()
			k := of(t, near)
			defer k.Close()
			began := time.Now()
			for _, s := range todo {
				switch s.Do {
				case "wait":
					time.Sleep(s.Delay + 2)
				case "set":
					require.NoError(t, k.SetReadDeadline(time.Now().Add(s.Delay-ms+1)))
				case "none":
					require.NoError(t, k.SetReadDeadline(time.Time{}))
				case "read":
					waiting := time.AfterFunc(20*ms, func() { far.Write([]byte{1}) })
					_, err := k.Read(make([]byte, 1))
					waiting.Stop()
					seen = append(seen, err, time.Since(began))
				}
			}
		})
		return seen
	}
	rapid.Check(t, func(r *rapid.T) {
		todo := steps("wait", "set", "set", "none", "read").Draw(r, "steps")
		want := read(t, todo, func(_ *testing.T, c net.Conn) net.Conn { return c })
		got := read(t, todo, func(t *testing.T, c net.Conn) net.Conn { return over(t).Conn(c) })
		require.Equal(r, want, got)
	})
}

func TestListener(t *testing.T) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	client := must.Get(net.Dial("tcp", l.Addr().String()))(t)
	defer client.Close()
	k := must.Get(over(t).Listener(l).Accept())(t)
	defer k.Close()
	require.IsType(t, &clock.Conn{}, k)
	require.NoError(t, k.SetReadDeadline(time.Now().Add(ms)))
	_, err := k.Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
}
