package store

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHasPointers(t *testing.T) {
	type plain struct {
		_ int
		_ [3]float64
		_ struct{ _ bool }
	}
	type mixed struct {
		_ int
		_ [2]struct{ _ string }
	}
	for _, test := range []struct {
		of   reflect.Type
		want bool
	}{
		{reflect.TypeFor[uint64](), false},
		{reflect.TypeFor[uintptr](), false},
		{reflect.TypeFor[complex128](), false},
		{reflect.TypeFor[struct{}](), false},
		{reflect.TypeFor[plain](), false},
		{reflect.TypeFor[[0]*int](), false},
		{reflect.TypeFor[[2]*int](), true},
		{reflect.TypeFor[mixed](), true},
		{reflect.TypeFor[string](), true},
		{reflect.TypeFor[[]int](), true},
		{reflect.TypeFor[map[int]int](), true},
		{reflect.TypeFor[chan int](), true},
		{reflect.TypeFor[func()](), true},
		{reflect.TypeFor[any](), true},
		{reflect.TypeFor[error](), true},
	} {
		require.Equal(t, test.want, HasPointers(test.of), "%v", test.of)
	}
}
