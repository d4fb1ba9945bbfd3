package check

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnknownNamesSuggestThoseThatAreNear(t *testing.T) {
	all := []string{"netty", "kafka", "nats", "jdk-timer"}
	for name, want := range map[string]string{
		"netyt":      `unknown preset "netyt", did you mean netty?`,
		"NETTY":      `unknown preset "NETTY", did you mean netty?`,
		"net":        `unknown preset "net", did you mean netty or nats?`,
		"jdk":        `unknown preset "jdk", did you mean jdk-timer?`,
		"jdk-timers": `unknown preset "jdk-timers", did you mean jdk-timer?`,
		"":           `unknown preset "", want one of netty, kafka, nats, jdk-timer`,
		"akka-wheel": `unknown preset "akka-wheel", want one of netty, kafka, nats, jdk-timer`,
	} {
		require.EqualError(t, Unknown("preset", name, all), want)
	}
}
