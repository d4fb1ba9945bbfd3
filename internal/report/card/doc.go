// Package card is the answer of a run on one screen: its facts, the form of their JSON, and how
// they are written in words. Package report finds the facts; docs/card.md says by which rules.
package card
