// Package durable keeps timers that outlive the process that set them, and that several processes may share.
//
// A timer is data: the kind of a task, which names a handler, and a payload. A database keeps it: SQLite in a file, for one process, or
// PostgreSQL at a URL, for several. A worker holds what is due within Options.Lead in a driver, at a URL with a lease.
//
//   - What Schedule has acknowledged runs at least once, unless it is cancelled. A kill of the process loses nothing.
//     A loss of power loses nothing with SyncFull, and the last moments with SyncNormal.
//   - Nothing begins before its instant, by the clock of the machine that runs it.
//   - Every Schedule and Reset makes a token. Each step of a timer is one conditional statement on its ID, token and
//     state: an old timer of an ID does nothing to a new one.
//   - A task begins again if it failed, its process died, or its lease ended before its end was stored: by a pause of its process, or
//     without the database for longer than Options.Lease. Task.Attempt counts the beginnings, and Task.Token stays the same.
package durable
