package workload

// event is the next end of an arming.
type event struct {
	at    int64
	timer uint32
	tag   tag
}

// tag holds how an arming ends, the population, and the count of resets or steps of back-off: one number stays in a register.
type tag uint32

func newTag(end end, pop uint8, count uint16) tag { return tag(end) | tag(pop)<<8 | tag(count)<<16 }

func (t tag) end() end      { return end(t) }
func (t tag) pop() uint8    { return uint8(t >> 8) }
func (t tag) count() uint16 { return uint16(t >> 16) }

type end uint8

const (
	expires end = iota
	cancelled
	moved
)
