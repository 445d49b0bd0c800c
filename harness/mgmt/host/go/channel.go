package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// channel gives the descriptors of the messages. Resources read nothing from it, and what they print goes to
// standard error.
func channel() (*os.File, *os.File) {
	numbers := [2]int{0, 1}
	own := os.Getenv("STICKLER_RPC_FD")
	if parts := strings.Split(own, ","); len(parts) == 2 {
		for i, part := range parts {
			if number, err := strconv.Atoi(part); err == nil {
				numbers[i] = number
			}
		}
	}
	os.Unsetenv("STICKLER_RPC_FD")
	var files [2]*os.File
	for i, number := range numbers {
		copied, err := syscall.Dup(number)
		if err != nil {
			os.Exit(2)
		}
		syscall.CloseOnExec(copied)
		if number > 2 {
			syscall.Close(number)
		}
		files[i] = os.NewFile(uintptr(copied), "channel")
	}
	if null, err := os.Open(os.DevNull); err == nil {
		syscall.Dup3(int(null.Fd()), 0, 0)
		null.Close()
	}
	syscall.Dup3(2, 1, 0)
	// Go opens descriptors of its own when a pipe is first waited for: not during a call of a resource.
	if one, other, err := os.Pipe(); err == nil {
		one.Close()
		other.Close()
	}
	return files[0], files[1]
}
