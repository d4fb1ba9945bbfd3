//go:build !linux

package durable_test

import "errors"

func fullDisk() error { return errors.New("no file system of its own for a child") }
