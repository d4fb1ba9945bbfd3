package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
)

// All that is said, drawn and listed of a run is in its sections too, and there once.
func TestSectionsHaveAllOfARun(t *testing.T) {
	d := fullData()
	var sentences, figures, titles []string
	for _, s := range Sections(d, Options{}) {
		titles = append(titles, s.Title)
		for _, p := range s.Parts {
			require.NotEmpty(t, p.Heading)
			sentences = append(sentences, p.Sentences...)
			for _, f := range p.Figures {
				figures = append(figures, f.Name)
			}
		}
	}
	v := newView(d, Options{})
	var said []string
	for i := range v.questions {
		said = append(said, v.sentences(i)...)
	}
	require.ElementsMatch(t, said, sentences)
	var drawn []string
	for _, f := range newView(d, Options{}).figures() {
		drawn = append(drawn, f.Name)
	}
	require.ElementsMatch(t, drawn, figures)
	require.Equal(t, []string{
		"Which scheduler is fastest?", "How late are timers?", "What does idling cost, and which tick is worth it?", "How much memory does it take?",
		"How do presets of known systems compare?", "How far are these figures to be trusted?",
	}, titles, "in the order in which readers ask; there are no replays in these data")
	require.Equal(t, "Regret: the worst ratio of each choice to the best, by group", Sections(d, Options{})[0].Parts[0].Heading)
}

func TestNothingHasNoSections(t *testing.T) {
	require.Empty(t, Sections(nil, Options{Requirement: Requirement{P99: 20e6}}))
	require.Empty(t, Sections(&rundata.Data{Complete: true}, Options{}))
}
