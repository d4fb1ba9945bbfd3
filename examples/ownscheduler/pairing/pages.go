package pairing

// take returns a free node, of a page that is made anew if there is none.
func (h *Heap[T]) take() uint32 {
	if len(h.open) == 0 {
		h.pages = append(h.pages, nil)
		h.open = append(h.open, uint32(len(h.pages)-1))
	}
	number := h.open[len(h.open)-1]
	p := h.pages[number]
	if p == nil {
		p = newPage[T](number)
		h.pages[number] = p
		h.empty++
	}
	if p.used == 0 {
		h.empty--
	}
	i := p.free
	p.free = h.at(i).next
	if p.used++; p.used == pageSize {
		h.open = h.open[:len(h.open)-1]
	}
	return i
}

// newPage returns a page of free nodes.
func newPage[T any](number uint32) *page[T] {
	p := &page[T]{free: number*pageSize + 1}
	for i := range uint32(pageSize - 1) {
		p.nodes[i].next = p.free + i + 1
	}
	return p
}

// giveBack makes a node free, and drops all empty pages when they are three quarters of all: a steady heap allocates nothing.
func (h *Heap[T]) giveBack(i uint32) {
	number := (i - 1) / pageSize
	p := h.pages[number]
	*h.at(i) = node[T]{next: p.free}
	p.free = i
	if p.used == pageSize {
		h.open = append(h.open, number)
	}
	if p.used--; p.used > 0 {
		return
	}
	if h.empty++; h.empty < 32 || h.empty*4 < h.held()*3 {
		return
	}
	for number, p := range h.pages {
		if p != nil && p.used == 0 {
			h.pages[number] = nil
		}
	}
	h.empty = 0
}

// held returns how many pages there are: those with something in them, and the empty ones.
func (h *Heap[T]) held() int { return (h.pending+pageSize-1)/pageSize + h.empty }
