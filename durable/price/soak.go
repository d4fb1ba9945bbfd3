package price

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/words"
)

// longestSoaked is the longest delay of a soak: most timers are held for seconds.
const longestSoaked = 10 * time.Second

// soakCell has very many timers arrive for long, once: it asks whether each fires, and not
// whether it costs more or less than others.
func (m *measuring) soakCell() harness.CustomCell {
	turn := m.turn(durableNow, m.LiveHeld, durableNow.filling(m.LiveHeld)+m.SoakFor+longestSoaked, m.soak)
	return harness.CustomCell{Experiment: SoakExperiment, Name: fmt.Sprintf("durable-soak-%d", m.Soak), Blocks: 1, Participants: []harness.Participant{turn}}
}

// soak is a turn in which timers arrive at random, with delays from none to the longest.
func (m *measuring) soak(ctx context.Context, k Keeper, n int, r *rand.Rand) (harness.Sample, error) {
	j := job{Do: doLive, Keeper: k, Held: n, Dir: m.newDir(), Seed: r.Uint64()}
	defer os.RemoveAll(j.Dir)
	for range m.Soak {
		j.Arrivals = append(j.Arrivals, time.Duration(r.Int64N(int64(m.SoakFor))))
	}
	slices.Sort(j.Arrivals)
	for _, at := range j.Arrivals {
		j.Deadlines = append(j.Deadlines, at+time.Duration(r.Int64N(int64(longestSoaked))))
	}
	return taken(m.run(ctx, j))
}

// soakSentence says what became of the timers of a soak: counts, which nothing is estimated of.
func (r results) soakSentence() (said string) {
	for _, s := range r.data.Select(SoakExperiment) {
		sum := func(unit string) float64 { return sumOf(s, unit) }
		said = fmt.Sprintf("Of %s timers that arrived at random in one go %.0f were lost, %.0f were early and %.0f fired twice; 99 %% were at most %s late, and the latest %s.",
			words.Count(sum(rundata.Fired)+sum(rundata.Lost)), sum(rundata.Lost), sum(rundata.Early), sum(rundata.Doubled),
			words.Time(sum(rundata.P99Late)), words.Time(sum(rundata.MaxLate)))
	}
	return said
}
