package cli

import (
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"schedbench/harness"
	"schedbench/internal/words"
)

// typed returns an argument as a user types it in a shell.
func typed(arg string) string {
	if arg == "" || strings.ContainsAny(arg, " \t\"'()&;|<>*?$`\\") {
		return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	return arg
}

// folder is the path of a folder on a command line.
type folder string

// UnmarshalText reads a path; a ~ at its beginning is the user's home.
func (f *folder) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("no name, want that of a folder")
	}
	path := kong.ExpandPath(string(text))
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is a file, want a folder", path)
	}
	*f = folder(path)
	return nil
}

func duration(ctx *kong.DecodeContext, target reflect.Value) error {
	text := ""
	if err := ctx.Scan.PopValueInto("duration", &text); err != nil {
		return err
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return fmt.Errorf("%q, want a positive duration such as 10ms or 1m30s", text)
	}
	target.SetInt(int64(d))
	return nil
}

// percent is a share given as 1% or 0.01.
type percent float64

// UnmarshalText reads a share.
func (p *percent) UnmarshalText(text []byte) error {
	digits, isPercent := strings.CutSuffix(string(text), "%")
	v, err := strconv.ParseFloat(digits, 64)
	if isPercent {
		v /= 100
	}
	if err != nil || !(v > 0 && v <= 1) {
		return fmt.Errorf("%q, want a share such as 1%% or 0.01, above 0 and at most 100%%", text)
	}
	*p = percent(v)
	return nil
}

type unit struct {
	name string
	size float64
}

// The units of numbers and of memory. B is last: the others end in it.
var (
	numberUnits = []unit{{"k", 1e3}, {"M", 1e6}}
	memoryUnits = []unit{
		{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
		{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
	}
)

// amount reads a number with a unit or none.
func amount(text []byte, units []unit) (float64, error) {
	digits, size := string(text), 1.0
	for _, u := range units {
		if cut, ok := strings.CutSuffix(digits, u.name); ok {
			digits, size = cut, u.size
			break
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	return v * size, err
}

// number is a whole number given as 10000, 10k or 2M.
type number int

// UnmarshalText reads a number of timers, from 1 to the largest possible.
func (n *number) UnmarshalText(text []byte) error {
	v, err := amount(text, numberUnits)
	if err != nil || v != math.Trunc(v) || !(v >= 1 && v <= harness.MostPending) {
		return fmt.Errorf("%q, want a whole number from 1 to %s, such as 10k", text, words.Count(harness.MostPending))
	}
	*n = number(v)
	return nil
}

// memory is an amount of memory given as 64MiB, 1.5GB or 4096.
type memory int64

// UnmarshalText reads an amount of at least a byte.
func (m *memory) UnmarshalText(text []byte) error {
	v, err := amount(text, memoryUnits)
	if err != nil || !(v >= 1 && v < math.MaxInt64) {
		return fmt.Errorf("%q, want an amount of memory such as 64MiB", text)
	}
	*m = memory(v)
	return nil
}
