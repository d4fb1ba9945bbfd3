// Command bench measures timer schedulers on this machine, draws charts, says
// which is best at what, and recommends a scheduler and a tick. Package cli describes it.
package main

import "schedbench/cli"

func main() { cli.Main() }
