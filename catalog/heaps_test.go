package catalog

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
)

// conforms holds a scheduler to the contract, but for the rules that it breaks on purpose, and its answers to the model.
func conforms(t *testing.T, s, answers schedtest.Scheduler, breaks ...string) {
	t.Helper()
	for _, rule := range schedtest.Cases() {
		t.Run(rule.Name, func(t *testing.T) {
			switch {
			case slices.Contains(breaks, rule.Name):
				require.Error(t, rule.Verify(s).Err, "a rule that it keeps is not to be left out")
			case rule.Name == "model":
				rule.Run(t, answers)
			default:
				rule.Run(t, s)
			}
		})
	}
	rapid.Check(t, func(t *rapid.T) { schedtest.Check(t, answers) })
}

// It makes an object for each timer, and its queue does not shrink.
func TestTheTextbookHeapConformsButForMemory(t *testing.T) {
	s := schedtest.Scheduler{Name: ContainerHeap, New: func() (schedulers.Scheduler[uint64], error) { return &pointerHeap{}, nil }}
	conforms(t, s, s, "no-allocations", "memory-returns")
}

// unmetered is a sequenceHeap that hides how many cancelled timers it holds: the model has fewer.
type unmetered struct {
	schedulers.Scheduler[uint64]
	schedulers.Resetter
	schedulers.Ranger[uint64]
}

func TestSequenceHeapConforms(t *testing.T) {
	for name, c := range map[string]onCancel{"leave": leave, "stay until due": stayUntilDue, "stay until first": stayUntilFirst} {
		t.Run(name, func(t *testing.T) {
			s := schedtest.Scheduler{Name: name, New: func() (schedulers.Scheduler[uint64], error) { return newSequenceHeap[uint64](c), nil }}
			if c == leave {
				conforms(t, s, s)
				return
			}
			answers := s
			answers.New = func() (schedulers.Scheduler[uint64], error) {
				h := newSequenceHeap[uint64](c)
				return unmetered{h, h, h}, nil
			}
			// In an idle jump each of the cancelled takes O(log n) to leave.
			conforms(t, s, answers, "held-bound", "no-allocations", "memory-returns", "idle-jump")
		})
	}
}
