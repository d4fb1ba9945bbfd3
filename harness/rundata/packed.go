package rundata

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// BenchExt is the extension of the files of blocks: benchfmt text, compressed by gzip, a tenth of
	// the size. benchstat reads what zcat prints.
	BenchExt = plainExt + ".gz"
	plainExt = ".bench" // the same text as it is, as in older runs and in run.bench
	hlogExt  = ".hlog"  // HdrHistogram log
)

// nameOf returns the name of a block's file without its extension.
func nameOf(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), plainExt)
}

// BlockFiles lists the files of blocks in a folder. Of a block that has a compressed file and a plain
// one, that is the compressed one.
func BlockFiles(dir string) ([]string, error) {
	packed, err := filepath.Glob(filepath.Join(dir, "*"+BenchExt))
	if err != nil {
		return nil, err
	}
	plain, err := filepath.Glob(filepath.Join(dir, "*"+plainExt))
	all := append(packed, slices.DeleteFunc(plain, func(path string) bool {
		return filepath.Base(path) == RunName || slices.Contains(packed, path+".gz")
	})...)
	slices.SortFunc(all, func(a, b string) int { return strings.Compare(nameOf(a), nameOf(b)) })
	return all, err
}

// ReadText reads a file, and unpacks it if it is compressed.
func ReadText(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(text, []byte("\x1f\x8b")) {
		return text, err
	}
	r, err := gzip.NewReader(bytes.NewReader(text))
	if err == nil {
		text, err = io.ReadAll(r)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", path, err, remedy)
	}
	return text, nil
}

func packed(text []byte) []byte {
	var buf bytes.Buffer
	w, _ := gzip.NewWriterLevel(&buf, gzip.BestCompression) // which is a level, and a buffer takes all
	_, _ = w.Write(text)
	_ = w.Close()
	return buf.Bytes()
}
