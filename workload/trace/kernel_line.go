package trace

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"
)

// what says what an event of the kernel is, as far as timers are concerned.
type what uint8

const (
	noEvent what = iota // a comment, or an empty line
	ignored             // an event that does not change a timer
	lost                // a line that says that events were lost
	start
	cancel
	expire
)

// armed is what an event says of whether the timer was pending before.
type armed uint8

const (
	armedUnsaid armed = iota
	armedNo
	armedYes
)

// key identifies a timer of the kernel. The hashes of a timer_list's address and of an hrtimer's may collide.
type key struct {
	addr uint64
	high bool // an hrtimer
}

type raw struct {
	line    int64
	at      time.Duration // the time stamp
	cpu     int32
	what    what
	was     armed
	grouped bool // the event is named with its group, as perf script does
	key
	// expires is when an hrtimer that starts is due, or its now when it expires; of a jiffies timer how many jiffies ahead.
	expires int64
	jiffies uint64 // what the counter of jiffies was, if known
	knows   bool   // jiffies is known
	n       uint64
}

// maxCPU is more CPUs than a machine has.
const maxCPU = 1 << 14

// malformed says what is wrong with a line; the caller knows which it is.
func malformed(format string, args ...any) error {
	return &SyntaxError{Reason: Malformed, Detail: fmt.Sprintf(format, args...)}
}

// parseLine reads a line of tracefs, of trace-cmd report or of perf script:
//
//	TASK-PID [CPU] FLAGS SECONDS.FRACTION: EVENT: KEY=VALUE ...
//	TASK PID [CPU] SECONDS.FRACTION: GROUP:EVENT: KEY=VALUE ...
//
// A task may have any name: what counts begins where a CPU in brackets and a time have at most one word between them.
func parseLine(line []byte) (raw, error) {
	text := bytes.TrimSpace(line)
	switch {
	case len(text) == 0 || text[0] == '#':
		return raw{}, nil
	case bytes.HasPrefix(text, []byte("CPU:")):
		return parseLost(text)
	case bytes.HasPrefix(text, []byte("cpus=")) || bytes.HasPrefix(text, []byte("version = ")):
		return raw{}, nil // the head of trace-cmd report
	}
	r, rest, ok := parsePlace(text)
	switch {
	case !ok:
		return raw{}, malformed("want a line such as \"task-1 [000] d..1. 12.345678: timer_cancel: timer=...\", found %q", clip(string(text)))
	case r.cpu >= maxCPU:
		return raw{}, &SyntaxError{Reason: OutOfRange, Detail: fmt.Sprintf("CPU %d, want less than %d", r.cpu, maxCPU)}
	case r.at < 0:
		return raw{}, &SyntaxError{Reason: OutOfRange, Detail: "the time stamp is beyond the longest duration"}
	}
	return parseEvent(r, rest)
}

// place is the CPU and the time of an event, and what follows them.
var place = regexp.MustCompile(`\[([0-9]+)\] +(?:[^ ]+ +)??([0-9]+)\.([0-9]{1,9}):(?: (.*))?$`)

// parsePlace reads the CPU and the time. Its time is negative if it does not fit.
func parsePlace(text []byte) (r raw, rest []byte, ok bool) {
	m := place.FindSubmatch(text)
	if m == nil {
		return raw{}, nil, false
	}
	cpu, ok1 := decimal(m[1])
	seconds, ok2 := decimal(m[2])
	part, _ := decimal([]byte((string(m[3]) + "000000000")[:9]))
	r = raw{cpu: int32(min(cpu, maxCPU)), at: -1}
	if seconds < math.MaxInt64/uint64(time.Second) {
		r.at = time.Duration(seconds)*time.Second + time.Duration(part)
	}
	return r, m[4], ok1 && ok2
}

// parseLost reads a line that says how many events a CPU has lost. Where it does not say how many it is one at least.
func parseLost(text []byte) (raw, error) {
	_, said, ok := bytes.Cut(text, []byte("["))
	if !ok || !bytes.Contains(said, []byte("LOST")) && !bytes.Contains(said, []byte("DROPPED")) {
		return raw{}, malformed("want \"CPU:1 [LOST 2 EVENTS]\", found %q", clip(string(text)))
	}
	r := raw{what: lost, n: 1}
	for word := range bytes.FieldsSeq(said) {
		if n, ok := decimal(word); ok {
			r.n = n
		}
	}
	return r, nil
}

// names are the events that change a timer. Those of hrtimers begin with hr.
var names = map[string]what{"timer_start": start, "timer_cancel": cancel, "timer_expire_entry": expire}

func parseEvent(r raw, rest []byte) (raw, error) {
	word, rest, _ := bytes.Cut(bytes.TrimLeft(rest, " "), []byte(" "))
	if string(word) == "PERF_RECORD_LOST" {
		return parseLost(append([]byte("[LOST "), rest...))
	}
	r.what = ignored
	r.grouped = bytes.Count(word, []byte(":")) > 1
	name, named := bytes.CutSuffix(bytes.TrimPrefix(word, []byte("timer:")), []byte(":"))
	plain, high := bytes.CutPrefix(name, []byte("hr"))
	known, ok := names[string(plain)]
	if !named || !ok {
		return r, nil
	}
	r.what, r.high = known, high
	a, err := parseArgs(rest)
	if err != nil {
		return raw{}, malformed("%s: %s", name, err)
	}
	if err := r.fill(a); err != nil {
		return raw{}, malformed("%s %s", name, err)
	}
	return r, nil
}

func (r *raw) fill(a args) error {
	addr, hasAddr := a["timer"]
	if !hasAddr {
		return errors.New("without the address of the timer")
	}
	r.addr = addr
	if was, said := a["was_armed"]; said {
		r.was = armedNo + armed(was)
	}
	expires, hasExpires := a["expires"]
	timeout, hasTimeout := a["timeout"]
	now, hasNow := a["now"]
	if soft, there := a["softexpires"]; there && r.high && hasExpires {
		expires = soft
	}
	switch {
	case r.what == start && !r.high:
		if !hasExpires || !hasTimeout {
			return errors.New("without expires=N [timeout=N]")
		}
		r.expires, r.jiffies, r.knows = int64(timeout), expires-timeout, true
	case r.what == start && !hasExpires:
		return errors.New("without expires=N")
	case r.what == start && expires > math.MaxInt64:
		return fmt.Errorf("expires=%d, want at most %d", expires, uint64(math.MaxInt64))
	case r.what == start:
		r.expires = int64(expires)
	case r.what == expire && hasNow:
		if r.jiffies, r.knows = now, !r.high; r.high && now <= math.MaxInt64 {
			r.expires = int64(now)
		}
	}
	return nil
}

// args are the values of an event, by key. A timeout is signed.
type args map[string]uint64

// parseArgs reads words of the form key=value, and passes over others.
func parseArgs(rest []byte) (args, error) {
	a := args{}
	for word := range bytes.FieldsSeq(rest) {
		key, value, ok := bytes.Cut(word, []byte("="))
		if !ok {
			continue
		}
		switch key := string(key); key {
		case "timer", "hrtimer":
			a["timer"], ok = hex(value)
		case "expires", "softexpires", "now":
			a[key], ok = decimal(value)
		case "was_armed":
			a[key], ok = decimal(value)
			ok = ok && a[key] <= 1 && len(value) == 1
		case "[timeout":
			number, closed := bytes.CutSuffix(value, []byte("]"))
			n, err := strconv.ParseInt(string(number), 10, 64)
			a["timeout"], ok = uint64(n), closed && err == nil && number[0] != '+'
		}
		if !ok {
			return nil, fmt.Errorf("%q, want a number", clip(string(word)))
		}
	}
	return a, nil
}
