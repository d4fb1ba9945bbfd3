package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
)

// saved writes what was made up as the files of a run, each series as a cell.
func saved(t *testing.T, dir string, d *rundata.Data) {
	t.Helper()
	var order []string
	for i, s := range d.Series {
		name, perBlock := fmt.Sprint("cell-", i), 0
		for perBlock < len(s.Block) && s.Block[perBlock] == s.Block[0] {
			perBlock++
		}
		file := rundata.File{Name: name, PerBlock: perBlock, Cells: []rundata.Measured{{Name: name, Series: []*rundata.Series{s}}}}
		require.NoError(t, file.Save(dir))
		order = append(order, name)
	}
	env := []rundata.Param{{Key: "plan", Value: "none"}, {Key: "order", Value: strings.Join(order, " ")}}
	for key, value := range d.Env {
		env = append(env, rundata.Param{Key: key, Value: value})
	}
	require.NoError(t, rundata.SaveRun(dir, env, d.Complete))
}
