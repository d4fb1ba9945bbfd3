package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
)

func describedHeap(name string, c onCancel) schedtest.Scheduler {
	return schedtest.Scheduler{
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
			s := describedHeap(name, c)
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
