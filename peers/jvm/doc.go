// Package jvm has the originals of presets as contestants: Netty's HashedWheelTimer, the
// JDK's ScheduledThreadPoolExecutor and java.util.Timer, in a process of their own that a
// small program in Java plays what it is told in. The program is in this package, and is
// built with javac when it is first needed, into the user's folder for such things.
//
// Each turn has a process of its own, which first does what it is measured at for a while: a million pairs of cancel
// and insert before their cost is measured, a tenth of that and 20,000 timers that fire before others' lateness is. The
// collector and the heap are the same for all, whatever the machine (see Options). When a timer fired is said by the
// clock of the process, against instants that were planned on it; CPU time and context switches are read by the
// system's accounts of the process, but for the thread that arms the timers, which tells its own.
package jvm
