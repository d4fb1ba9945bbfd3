// Command bench measures timer schedulers on this machine, draws charts,
// and says which scheduler and which tick to take. Package cli describes it.
package main

import "schedbench/cli"

func main() { cli.Main() }
