// Package judge says what samples are worth: it sums them up with intervals,
// compares two contestants round by round, and decides whether they are
// separated. Nothing else in this module decides that.
package judge
