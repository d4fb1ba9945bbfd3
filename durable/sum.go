package durable

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/minio/highwayhash"
	"github.com/nats-io/nats-server/v2/server"
)

// The engine keeps what a stream is in one file and the checksum of that in another, and writes one after the other.
// If its process is killed between the two, it passes the stream over from then on; and where one of the same name is made,
// that has the messages of the old one, and knows nothing of who had been handed which.

// description is the file that says what the stream is.
func (e *engine) description() string {
	return filepath.Join(e.opts.Dir, server.JetStreamStoreDir, server.DEFAULT_GLOBAL_ACCOUNT, "streams", e.prefix, server.JetStreamMetaFile)
}

// leastDescribed is what a description has at least, in bytes. Of a shorter one, which a loss of power may leave, the sum
// had better be wrong: the engine does not read it then.
const leastDescribed = 100

// mendSum writes the checksum of the description anew, if it is not that.
func (e *engine) mendSum() error {
	described, err := os.ReadFile(e.description())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || len(described) < leastDescribed {
		return err
	}
	key := sha256.Sum256([]byte(e.prefix))
	hash, err := highwayhash.NewDigest64(key[:])
	if err != nil {
		return err
	}
	_, _ = hash.Write(described)
	sum := []byte(hex.EncodeToString(hash.Sum(nil)))
	path := filepath.Join(filepath.Dir(e.description()), server.JetStreamMetaFileSum)
	if is, err := os.ReadFile(path); err == nil && bytes.Equal(is, sum) {
		return nil
	}
	// The engine writes it so too, in two steps of which the second is all or nothing.
	if err := os.WriteFile(path+".tmp", sum, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}

// notFound is why the engine has no stream: nil if the folder has none either.
func (e *engine) notFound() error {
	if _, err := os.Stat(e.description()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("%w: the embedded server cannot read %s%s", ErrFolder, e.description(), e.log.warning())
}
