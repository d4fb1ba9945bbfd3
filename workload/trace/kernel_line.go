package trace

import (
	"bytes"
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

// lineFault is the error of a line, without its file and number, which the caller knows.
func lineFault(reason Reason, format string, args ...any) error {
	return &SyntaxError{Reason: reason, Detail: fmt.Sprintf(format, args...)}
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
	m := place.FindSubmatch(text)
	if m == nil {
		return raw{}, lineFault(Malformed, "want a line such as \"task-1 [000] d..1. 12.345678: timer_cancel: timer=...\", found %q", clip(string(text)))
	}
	cpu, ok := decimal(m[1])
	if !ok || cpu >= maxCPU {
		return raw{}, lineFault(OutOfRange, "CPU %s, want less than %d", clip(string(m[1])), maxCPU)
	}
	seconds, ok := decimal(m[2])
	if !ok || seconds >= math.MaxInt64/uint64(time.Second) {
		return raw{}, lineFault(OutOfRange, "the time stamp is beyond the longest duration")
	}
	nanos, _ := decimal([]byte((string(m[3]) + "000000000")[:9]))
	at := time.Duration(seconds)*time.Second + time.Duration(nanos)
	return parseEvent(raw{cpu: int32(cpu), at: at}, m[4])
}

// place is the CPU and the time of an event, and what follows them.
var place = regexp.MustCompile(`\[([0-9]+)\] +(?:[^ ]+ +)??([0-9]+)\.([0-9]{1,9}):(?: (.*))?$`)

// parseLost reads a line that says how many events a CPU has lost. Where it does not say how many it is one at least.
func parseLost(text []byte) (raw, error) {
	_, said, ok := bytes.Cut(text, []byte("["))
	if !ok || !bytes.Contains(said, []byte("LOST")) && !bytes.Contains(said, []byte("DROPPED")) {
		return raw{}, lineFault(Malformed, "want \"CPU:1 [LOST 2 EVENTS]\", found %q", clip(string(text)))
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
	if fault := r.fill(rest); fault != "" {
		return raw{}, lineFault(Malformed, "%s %s", name, fault)
	}
	return r, nil
}

// args reads the values of an event: words of the form key=value. A timeout is signed. It returns what is wrong, if anything.
func (r *raw) args(rest []byte) (a map[string]uint64, fault string) {
	a = map[string]uint64{}
	for word := range bytes.FieldsSeq(rest) {
		key, value, _ := bytes.Cut(word, []byte("="))
		var ok bool
		switch key := string(key); key {
		case "timer", "hrtimer":
			r.addr, ok = hex(value)
			a["timer"] = r.addr
		case "expires", "softexpires", "now":
			a[key], ok = decimal(value)
		case "was_armed":
			r.was, ok = map[string]armed{"0": armedNo, "1": armedYes}[string(value)]
		case "[timeout":
			n, err := strconv.ParseInt(string(bytes.TrimSuffix(value, []byte("]"))), 10, 64)
			a["timeout"], ok = uint64(n), err == nil && bytes.HasSuffix(value, []byte("]"))
		default:
			continue
		}
		if !ok {
			return a, fmt.Sprintf("with %q, want a number", clip(string(word)))
		}
	}
	return a, ""
}

// fill sets what an event says of its timer. It returns what is wrong with it, if anything.
func (r *raw) fill(rest []byte) (fault string) {
	a, fault := r.args(rest)
	_, hasAddr := a["timer"]
	expires, hasExpires := a["expires"]
	timeout, hasTimeout := a["timeout"]
	now, hasNow := a["now"]
	if soft, there := a["softexpires"]; there && r.high && hasExpires {
		expires = soft
	}
	switch {
	case fault != "":
		return fault
	case !hasAddr:
		return "without the address of the timer"
	case r.what == start && !r.high && !(hasExpires && hasTimeout):
		return "without expires=N [timeout=N]"
	case r.what == start && !r.high:
		r.expires, r.jiffies, r.knows = int64(timeout), expires-timeout, true
	case r.what == start && !hasExpires:
		return "without expires=N"
	case r.what == start && expires > math.MaxInt64:
		return fmt.Sprintf("expires=%d, want at most %d", expires, uint64(math.MaxInt64))
	case r.what == start:
		r.expires = int64(expires)
	case r.what == expire && hasNow:
		if r.jiffies, r.knows = now, !r.high; r.high && now <= math.MaxInt64 {
			r.expires = int64(now)
		}
	}
	return ""
}
