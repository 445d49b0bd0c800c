//go:build !race

package stickler

// isRacing: the test was built with -race.
const isRacing = false
