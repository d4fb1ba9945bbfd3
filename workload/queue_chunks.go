package workload

// list is the chunks of a bucket, by number from one on; the last of them, which
// is filled up, comes first.
type list struct{ head uint32 }

const chunkEvents = 31

// chunk is a stretch of events of one bucket, 512 bytes in all.
type chunk struct {
	next   uint32
	n      uint32
	events [chunkEvents]event
	_      uint64
}

// chunks is a store of chunks, in pages so that growth copies none. What was
// freed is used again.
type chunks struct {
	pages [][]chunk
	fresh uint32 // chunks that were handed out, freed or not
	spare uint32 // the first of those freed, or 0
}

const pageChunks = 128

func (c *chunks) at(i uint32) *chunk { return &c.pages[(i-1)/pageChunks][(i-1)%pageChunks] }

// append adds an event to a list.
func (c *chunks) append(l *list, e event) {
	var head *chunk
	if l.head != 0 {
		head = c.at(l.head)
	}
	if head == nil || head.n == chunkEvents {
		head = c.grow(l)
	}
	head.events[head.n] = e
	head.n++
}

// grow puts an empty chunk at the front of a list.
func (c *chunks) grow(l *list) *chunk {
	i := c.spare
	if i == 0 {
		if int(c.fresh) == len(c.pages)*pageChunks {
			c.pages = append(c.pages, make([]chunk, pageChunks))
		}
		c.fresh++
		i = c.fresh
	} else {
		c.spare = c.at(i).next
	}
	head := c.at(i)
	head.next, head.n = l.head, 0
	l.head = i
	return head
}

// free gives the first chunk of a list back.
func (c *chunks) free(l *list) {
	i := l.head
	head := c.at(i)
	l.head = head.next
	head.next = c.spare
	c.spare = i
}
