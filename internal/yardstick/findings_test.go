package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
)

// fabricated returns a row in which Go takes some times as long as C, by so many per mille
// more and less from round to round.
func fabricated(op string, pending int, ratio float64, perMille, rounds int) row {
	r := row{exercise: exercise{op: op, pending: pending}, c: "C, hierarchical", scheduler: "hierwheel"}
	for i := range rounds {
		off := 1 + float64(i%3-1)*float64(perMille)/1000
		r.inC = append(r.inC, shown{with: 11, alone: 1})
		r.inGo = append(r.inGo, shown{with: 2 + 10*ratio*off, alone: 2})
	}
	return r
}

func said(rows ...row) string {
	return strings.Join(sentences(findings{rows: rows, rounds: 9}.compare()), "\n")
}

// TestSentencesSayWhatTheDataTell: each appears where it is true, and only there.
func TestSentencesSayWhatTheDataTell(t *testing.T) {
	const slower, same, faster, open = "takes 2", "as fast as C", "ahead of C and takes", "unclear"
	for _, c := range []struct {
		row  row
		want string
	}{
		{fabricated(opPair, 1000, 2, 5, 9), slower},
		{fabricated(opPair, 1000, 1.01, 5, 9), same},
		{fabricated(opPair, 1000, 0.5, 5, 9), faster},
		{fabricated(opPair, 1000, 1.2, 300, 9), open},
		{fabricated(opPair, 1000, 2, 5, 1), open},
	} {
		text := said(c.row)
		for _, s := range []string{slower, same, faster, open} {
			require.Equal(t, s == c.want, strings.Contains(text, s), "%q in %q", s, text)
		}
	}
}

func TestSentencesAreWhole(t *testing.T) {
	require.Equal(t, "Pair: hierwheel takes 2× as long as C with 1k pending and 3× with 100k pending; hierwheel is ahead of C and takes 0.5× as long with 1M pending.\n"+
		"Reset: hierwheel is as fast as C within 10 % with 1k pending.",
		said(fabricated(opPair, 1000, 2, 5, 9), fabricated(opPair, 100_000, 3, 5, 9), fabricated(opPair, 1_000_000, 0.5, 5, 9),
			fabricated(opReset, 1000, 1, 5, 9)))
	require.Equal(t, "Pair: it is unclear whether C or hierwheel is ahead with 1k pending from 1 round.", said(fabricated(opPair, 1000, 2, 5, 1)))
	require.Regexp(t, `ahead with 1k pending \(1\.\d+×, interval 0\.\d+× to [12]\.\d+×; \d+ more rounds\)`, said(fabricated(opPair, 1000, 1.2, 300, 9)))
}

// What is not known is not written as a figure.
func TestAnIntervalBeyondAllThatIsPossibleIsUnknown(t *testing.T) {
	for _, r := range []row{fabricated(opPair, 1000, 2, 5, 1), fabricated(opPair, 1000, 2, 500, 2)} {
		var b strings.Builder
		require.NoError(t, findings{rows: []row{r}, rounds: len(r.inC)}.write(&b))
		require.Contains(t, b.String(), "unknown")
	}
}

func TestTablesHaveBothWithTheLoopAndWithoutIt(t *testing.T) {
	var b strings.Builder
	require.NoError(t, findings{rows: []row{fabricated(opPair, 1000, 2, 5, 9)}, rounds: 9, about: "a machine"}.write(&b))
	require.Contains(t, b.String(), "HOW FAR FROM THE METAL: a machine")
	require.Regexp(t, `pair\s+slower\s+1k\s+10\.0 ns\s+20\.0 ns\s+2×\s+1\.\d+× to 2\.\d+×\s+11\.0 ns\s+22\.0 ns\s+2×`, b.String())
}

// TestTheSectionIsReplaced, wherever it stands and however often.
func TestTheSectionIsReplaced(t *testing.T) {
	section := sectionHeading + "\nnew\n"
	for was, want := range map[string]string{
		"# Results\n\ntext\n":                        "# Results\n\ntext\n\n" + section,
		"# Results\n\n" + sectionHeading + "\nold\n": "# Results\n\n" + section,
		"# Results\n\n" + sectionHeading + "\nold\n\n### part\n\n## Next\n\nstays\n": "# Results\n\n" + section + "\n## Next\n\nstays\n",
	} {
		got := string(replaceSection([]byte(was), []byte(section)))
		require.Equal(t, want, got)
		require.Equal(t, want, string(replaceSection([]byte(got), []byte(section))))
	}
}

func TestTheDataSayWhatTheyAreOf(t *testing.T) {
	var b strings.Builder
	f := findings{rows: []row{fabricated(opPair, 1000, 2, 5, 2)}, rounds: 2, about: "a machine"}
	f.writeData(&b, []rundata.Param{{Key: "cpu", Value: "one"}})
	require.Equal(t, "# cpu: one\n# measured-on: a machine\n"+
		"BenchmarkYardstick/op=pair/pending=1000/impl=C-hierarchical 1 11 ns/op 1 loop-ns/op\n"+
		"BenchmarkYardstick/op=pair/pending=1000/impl=C-hierarchical 1 11 ns/op 1 loop-ns/op\n"+
		"BenchmarkYardstick/op=pair/pending=1000/impl=hierwheel 1 21.9 ns/op 2 loop-ns/op\n"+
		"BenchmarkYardstick/op=pair/pending=1000/impl=hierwheel 1 22 ns/op 2 loop-ns/op\n", b.String())
}
