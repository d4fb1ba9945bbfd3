// Package chart draws charts on gonum/plot in one style: figures of panels with
// axes, lines, bands and guides, their names beside them or in a legend, and heat
// maps. It knows nothing of what is shown.
package chart
