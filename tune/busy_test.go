package tune

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestABusyMachineIsTold(t *testing.T) {
	require.Empty(t, sayBusy(0.1, "meanwhile"))
	require.Contains(t, sayBusy(0.5, "meanwhile"), "took 50 % of the machine meanwhile")
	share := watchOthers().share()
	require.GreaterOrEqual(t, share, 0.0)
	require.LessOrEqual(t, share, 1.0)
	require.Zero(t, others{}.share(), "what was never read says nothing")
}
