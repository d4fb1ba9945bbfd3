// Package text lays out paragraphs and tables for terminals and files.
package text
