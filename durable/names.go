package durable

import (
	"crypto/rand"
	"fmt"
	"strings"
)

// Subjects have three words: the name of the timers, what the message is, and the ID. So a whole
// timer is one wildcard, name.*.id, and to find it costs no more than the few words that there are
// in the middle.
const (
	dueWord   = "due" // handed out by the engine, or due so soon that it need not wait there
	runWord   = "run" // claimed by the worker that runs it
	heldWord  = "at"  // with a number: a schedule of the engine, or what took its place
	deadWord  = "dead"
	durableID = "workers" // the consumer that all workers share
)

// names makes the subjects of the timers of one name.
type names struct{ prefix string }

func (n names) all() string      { return n.prefix + ".>" }
func (n names) timers() string   { return n.prefix + ".*.*" }
func (n names) dueAll() string   { return n.prefix + "." + dueWord + ".*" }
func (n names) deadAll() string  { return n.prefix + "." + deadWord + ".*.*" }
func (n names) any(id ID) string { return n.prefix + ".*." + escape(string(id)) }
func (n names) due(id ID) string { return n.prefix + "." + dueWord + "." + escape(string(id)) }
func (n names) run(id ID) string { return n.prefix + "." + runWord + "." + escape(string(id)) }
func (n names) held(k int, id ID) string {
	return fmt.Sprintf("%s.%s%d.%s", n.prefix, heldWord, k, escape(string(id)))
}
func (n names) dead(kind string, id ID) string {
	return n.prefix + "." + deadWord + "." + escape(kind) + "." + escape(string(id))
}

const longestID = 200

// newID returns an ID that nobody else has.
func newID() ID { return ID(rand.Text()) }

func checkID(id ID) error {
	if id == "" || len(id) > longestID {
		return fmt.Errorf("%w: ID of %d bytes, want 1 to %d", ErrOption, len(id), longestID)
	}
	return nil
}

// escape makes one word of a subject of any text.
func escape(text string) string {
	plain := true
	for i := range len(text) {
		plain = plain && isPlain(text[i])
	}
	if plain {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		if isPlain(text[i]) {
			b.WriteByte(text[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", text[i])
		}
	}
	return b.String()
}

func isPlain(c byte) bool { return c > ' ' && c < 0x7f && c != '.' && c != '*' && c != '>' && c != '%' }
