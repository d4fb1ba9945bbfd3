// Package jvm measures the originals of presets: Netty's HashedWheelTimer, the JDK's ScheduledThreadPoolExecutor and
// java.util.Timer, in a process of a Java program. javac builds it into the user's cache at first use.
//
// Each turn has a new process, which warms up by what is then measured: a million pairs of cancel and insert before their
// cost, or a tenth of that and 20,000 timers that fire before lateness. All have the same collector and heap (see options).
// Instants are of the clock of the process. The operating system counts CPU time and context switches. The thread that arms
// timers reads its own CPU time, which is subtracted.
package jvm
