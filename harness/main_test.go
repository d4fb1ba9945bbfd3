package harness

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if contestant, ok := os.LookupEnv(childEnv); ok {
		os.Exit(child(contestant))
	}
	goleak.VerifyTestMain(m)
}
