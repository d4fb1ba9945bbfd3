package driver_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

// Each row of the table in the package's documentation has a test.
func TestEachRowOfTheTableHasATest(t *testing.T) {
	doc := must.Get(os.ReadFile("doc.go"))(t)
	files := must.Get(filepath.Glob("*_test.go"))(t)
	var tests strings.Builder
	for _, file := range files {
		tests.Write(must.Get(os.ReadFile(file))(t))
	}
	rows := regexp.MustCompile(`(?m)^//\t[^|\n]+\|[^|\n]+\| (Test\w+)$`).FindAllStringSubmatch(string(doc), -1)
	require.Len(t, rows, 19)
	for _, row := range rows {
		require.Contains(t, tests.String(), "\nfunc "+row[1]+"(", row[0])
	}
}
