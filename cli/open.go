package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/cli/browser"
)

type openCmd struct {
	Dir folder `arg:"" optional:"" help:"Folder of a run; by default the one under results whose page was written last."`
}

// Run opens the page in a browser. Without a browser it prints the path.
func (c *openCmd) Run(con *console) error {
	path, err := c.page()
	if err != nil {
		return err
	}
	if !mayBrowse() {
		fmt.Fprintf(con.out, "there is no display to show it on; it is in %s\n", path)
		return nil
	}
	if err := browser.OpenURL(fileURL(path)); err != nil {
		fmt.Fprintf(con.out, "no browser opens it (%v); it is in %s\n", err, path)
		return nil
	}
	fmt.Fprintln(con.out, "opened", path)
	return nil
}

func (c *openCmd) page() (string, error) {
	dir, err := c.Dir.orNewest(pageFile)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, pageFile)
	_, err = os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && isThere(filepath.Join(string(c.Dir), dataDir)):
		return "", usageError(fmt.Errorf("%s holds a run without %s: \"bench plot %s\" writes it", c.Dir, pageFile, typed(string(c.Dir))))
	case errors.Is(err, fs.ErrNotExist):
		return "", usageError(fmt.Errorf("%s holds no %s, want the folder of a run", c.Dir, pageFile))
	case err != nil:
		return "", err
	}
	return filepath.Abs(path)
}

// orNewest returns the folder, or else the one under results whose file of that name was written last.
func (f folder) orNewest(name string) (string, error) {
	if f != "" {
		return string(f), nil
	}
	files, err := filepath.Glob(filepath.Join(resultsDir, "*", name))
	if err != nil || len(files) == 0 {
		return "", usageError(fmt.Errorf("no folder under %s holds a %s: run \"bench run\" first, or name the folder of a run", resultsDir, name))
	}
	newest := slices.MaxFunc(files, func(a, b string) int { return cmp.Compare(changedAt(a), changedAt(b)) })
	return strings.TrimSuffix(newest, string(filepath.Separator)+name), nil
}

// changedAt returns when a file was written; 0 if that is unknown.
func changedAt(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// mayBrowse reports whether there is a display. Without one, what opens a page starts a browser for terminals, or waits.
func mayBrowse() bool {
	return slices.Contains([]string{"windows", "darwin"}, runtime.GOOS) || os.Getenv("DISPLAY")+os.Getenv("WAYLAND_DISPLAY")+os.Getenv("WSL_DISTRO_NAME") != ""
}

// fileURL returns the address of a file. Its path may have any letters, and begin with a drive of Windows.
func fileURL(path string) string {
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")}).String()
}
