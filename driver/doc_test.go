package driver_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each row of the table in the package's documentation has a test.
func TestEachRowOfTheTableHasATest(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	var tests strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		tests.Write(text)
	}
	rows := regexp.MustCompile(`(?m)^//\t[^|\n]+\|[^|\n]+\| (Test\w+)$`).FindAllStringSubmatch(string(doc), -1)
	require.Len(t, rows, 19)
	for _, row := range rows {
		require.Contains(t, tests.String(), "\nfunc "+row[1]+"(", row[0])
	}
}
