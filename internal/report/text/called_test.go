package text

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommandsCallTheProgramByItsName(t *testing.T) {
	for said, want := range map[string]string{
		`bench plot DIR`:                            `./$mine plot DIR`,
		`chooses nothing: run "bench tune x"`:       `chooses nothing: run "./$mine tune x"`,
		"which tick: bench --x\nbench --y":          "which tick: ./$mine --x\n./$mine --y",
		`unknown experiment "bench", want cost`:     `unknown experiment "bench", want cost`,
		"bench: no run in x/bench: want schedbench": "bench: no run in x/bench: want schedbench",
		"data/*.bench.gz (benchstat)":               "data/*.bench.gz (benchstat)",
	} {
		require.Equal(t, want, Called(said, "./$mine"))
		require.Equal(t, said, Called(said, ""))
	}
}
