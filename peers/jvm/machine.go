package jvm

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// options are those of the Java runtime: the collector that it chooses on larger machines, and a heap that need not grow.
var options = []string{"-XX:+UseG1GC", "-Xms512m", "-Xmx2g", "-XX:+UseCompressedOops"}

// packages are what a system of the Debian kind installs for this package.
const packages = "default-jdk-headless and libnetty-java"

// machine is the Java of this machine.
type machine struct {
	java, javac string
	netty       []string // jars; nil: there is none
	missing     string   // what is not here, and what is left out
}

const jars = "/usr/share/java" // where Debian has those of Netty and what it needs

// find looks for Java by the variable PATH, and for Netty in a folder of jars.
func find(jars string) (m machine) {
	var err, err2 error
	m.java, err = exec.LookPath("java")
	m.javac, err2 = exec.LookPath("javac")
	if err != nil || err2 != nil {
		return machine{missing: "there is no java and javac: the originals on the JVM are left out, and all others are measured; " +
			"Debian's packages " + packages + " have them"}
	}
	for _, name := range []string{"netty-common.jar", "jctools-core.jar"} {
		path := filepath.Join(jars, name)
		if _, err := os.Stat(path); err == nil {
			m.netty = append(m.netty, path)
		}
	}
	if len(m.netty) == 0 || filepath.Base(m.netty[0]) != "netty-common.jar" {
		m.netty = nil
		m.missing = fmt.Sprintf("there is no netty-common.jar in %s: Netty's timer is left out, and all others are measured; Debian's package libnetty-java has it", jars)
	}
	return m
}

func (m machine) version() string {
	out, err := exec.Command(m.java, "-version").CombinedOutput()
	if err != nil {
		return ""
	}
	first, rest, _ := strings.Cut(string(out), "\n")
	second, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(first) + ", " + strings.TrimSpace(second)
}

func (m machine) nettyVersion() string {
	if m.netty == nil {
		return ""
	}
	jar, err := zip.OpenReader(m.netty[0])
	if err != nil {
		return ""
	}
	defer jar.Close()
	text, _ := fs.ReadFile(jar, "META-INF/MANIFEST.MF")
	_, rest, _ := strings.Cut(string(text), "\nImplementation-Version: ")
	version, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(version)
}
