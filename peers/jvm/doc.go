// Package jvm measures the originals of presets: Netty's HashedWheelTimer, the JDK's ScheduledThreadPoolExecutor and
// java.util.Timer. They run in a process of a Java program, which is part of this package. javac builds it into the
// user's cache at first use.
//
// Each turn has a new process. To warm up, it repeats what is then measured: a million pairs of cancel and insert before
// their cost, or a tenth of that and 20,000 timers that fire before lateness. All have the same collector and heap, on
// every machine (see Options). The clock of the process says when a timer fired, and planned instants are of that clock.
// The operating system counts CPU time and context switches. The thread that arms timers reads its own CPU time, which is
// subtracted.
package jvm
