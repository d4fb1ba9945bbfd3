package catalog

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
)

func heapSubject(name string, c onCancel) schedtest.Subject {
	return schedtest.Subject{
		Name: name,
		New:  func() (schedulers.Scheduler[uint64], error) { return newSequenceHeap[uint64](c), nil },
	}
}

// brokenOnPurpose are the rules that a heap breaks in which the cancelled stay.
var brokenOnPurpose = map[string]bool{
	"held-bound":     true,
	"no-allocations": true,
	"memory-returns": true,
	"idle-jump":      true, // each of the cancelled takes O(log n) to leave
}

// unmetered is a sequenceHeap that does not tell how many of the cancelled it
// holds, since the model would not have that many.
type unmetered struct {
	schedulers.Scheduler[uint64]
	schedulers.Resetter
	schedulers.Valuer[uint64]
	schedulers.Ranger[uint64]
}

func TestSequenceHeapConforms(t *testing.T) {
	for name, c := range map[string]onCancel{"leave": leave, "stay until due": stayUntilDue, "stay until first": stayUntilFirst} {
		t.Run(name, func(t *testing.T) {
			s := heapSubject(name, c)
			answers := s
			if c != leave {
				answers.New = func() (schedulers.Scheduler[uint64], error) {
					h := newSequenceHeap[uint64](c)
					return unmetered{h, h, h, h}, nil
				}
			}
			for _, rule := range schedtest.Cases() {
				t.Run(rule.Name, func(t *testing.T) {
					switch {
					case c != leave && brokenOnPurpose[rule.Name]:
						require.Error(t, rule.Verify(s).Err, "a rule that it keeps is not to be left out")
					case rule.Name == "model":
						rule.Run(t, answers)
					default:
						rule.Run(t, s)
					}
				})
			}
			rapid.Check(t, func(t *rapid.T) { schedtest.Check(t, answers) })
		})
	}
}

func TestSequenceHeapKeepsTheOrderOfScheduling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newSequenceHeap[uint64](rapid.SampledFrom([]onCancel{leave, stayUntilDue, stayUntilFirst}).Draw(t, "onCancel"))
		type key struct {
			deadline time.Duration
			value    uint64
		}
		pending := map[uint64]key{}
		for i := range uint64(rapid.IntRange(1, 200).Draw(t, "n")) {
			deadline := time.Duration(rapid.IntRange(0, 5).Draw(t, "deadline"))
			id, err := h.Schedule(deadline, i)
			if err != nil {
				t.Fatal(err)
			}
			if rapid.IntRange(0, 3).Draw(t, "cancel") == 0 {
				h.Cancel(id)
			} else {
				pending[i] = key{deadline, i}
			}
		}
		due := make([]uint64, 300)
		last := key{-1, 0}
		n := h.Expire(5, due)
		if n != len(pending) {
			t.Fatalf("%d came out, want %d", n, len(pending))
		}
		for _, v := range due[:n] {
			k, ok := pending[v]
			if !ok || k.deadline < last.deadline || k.deadline == last.deadline && k.value <= last.value && last.deadline >= 0 && v != 0 {
				t.Fatalf("%v came out after %v", k, last)
			}
			last = k
		}
	})
}
