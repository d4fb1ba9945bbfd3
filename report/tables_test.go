package report

import (
	"strings"
	"testing"
)

func TestTables(t *testing.T) {
	var b strings.Builder
	if err := Tables(&b, fullData()); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + b.String())
}
