// The host of mgmt resources: it calls them as JSON-RPC requests say. It is compiled inside the module of the
// resources, and works by reflection, so that it serves all forms of the interface.
package main

import (
	"bufio"
	"os"
	"time"
)

func main() {
	in, out := channel()
	server := &server{out: bufio.NewWriter(out), resources: map[string]*resource{}}
	// Go ends a program in which nothing can happen any more. A resource that blocks is the harness's to judge.
	time.AfterFunc(time.Hour, func() {})
	lines := bufio.NewReaderSize(in, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			server.answer(line)
		}
		if err != nil {
			os.Exit(0)
		}
	}
}
