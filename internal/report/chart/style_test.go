package chart

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnitsStayWithTheirNumbers(t *testing.T) {
	style := textStyle(9, Ink)
	require.Equal(t, []string{"at least", "95 % of"}, wrap(style, "at least 95 % of", style.Width("at least 95 ")))
	require.Empty(t, wrap(style, " ", 100))
}
