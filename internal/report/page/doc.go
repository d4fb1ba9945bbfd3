// Package page writes report.html: all that a run says, in one file that opens from disk.
//
// It fetches nothing, which its Content-Security-Policy forbids too, and is complete
// without script: a script, which is named there by its hash, lets tables be sorted and
// opens them before they are printed. Charts are drawn in it as SVG, on a light ground
// whatever the colours of the page.
package page
