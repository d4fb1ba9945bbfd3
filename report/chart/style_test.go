package chart

import (
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/words"
)

func TestUnitsStayWithTheirNumbers(t *testing.T) {
	require.Equal(t, []string{"stopped", "for", "500 ms;", "95 %", "intervals", "%", "of", "s"}, words.Split(" stopped for  500 ms; 95 % intervals % of s"))
	style := textStyle(9, Ink)
	require.Equal(t, []string{"at least", "95 % of"}, wrap(style, "at least 95 % of", style.Width("at least 95 ")))
	require.Empty(t, wrap(style, " ", 100))
}
