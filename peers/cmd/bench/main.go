// Command bench is the command of package cli with contestants that are not of this
// project: timer libraries in Go, and the originals of presets on the JVM.
package main

import (
	"schedbench/cli"
	"schedbench/peers/libraries"
)

func main() { cli.Main(libraries.Contestants()...) }
