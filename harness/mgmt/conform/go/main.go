// The program plays cases of scripted resources in mgmt's own engine, and tells what it sees. Each line of its input
// is a case in JSON: its name and its input. Each line of its output is what was seen of one; they come in any order.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"
)

type givenCase struct {
	Name  string    `json:"name"`
	Input caseInput `json:"input"`
}

type caseInput struct {
	Graphs    map[string]graphScript `json:"graphs"`
	Driver    []action               `json:"driver"`
	Quiet     int64                  `json:"quiet_ms"`
	Converger *int                   `json:"converger_s"`
}

type graphScript struct {
	Vertices []*script    `json:"vertices"`
	Edges    []edgeScript `json:"edges"`
}

type edgeScript struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Notify bool   `json:"notify"`
	Name   string `json:"name"`
}

type action struct {
	Do       string `json:"do"`
	Graph    string `json:"graph"`
	Fast     bool   `json:"fast"`
	At       string `json:"at"`
	N        *int   `json:"n"`
	Wrong    bool   `json:"wrong"`
	Cmd      string `json:"cmd"`
	Gate     string `json:"gate"`
	Ms       int64  `json:"ms"`
	Async    bool   `json:"async"`
	NoSettle bool   `json:"no_settle"`
}

// The argument says how many cases run at one time: they mostly wait.
func main() {
	atOnce := 1
	if len(os.Args) > 1 {
		if number, err := strconv.Atoi(os.Args[1]); err == nil && number > 0 {
			atOnce = number
		}
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	output := json.NewEncoder(os.Stdout)
	output.SetEscapeHTML(false)
	places := make(chan struct{}, atOnce)
	mutex, all := sync.Mutex{}, sync.WaitGroup{}
	for lines.Scan() {
		one := givenCase{Input: caseInput{Quiet: 70}}
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			fmt.Fprintln(os.Stderr, "a case can't be read:", err)
			os.Exit(1)
		}
		places <- struct{}{}
		all.Add(1)
		go func() {
			defer all.Done()
			defer func() { <-places }()
			seen := play(&one)
			mutex.Lock()
			defer mutex.Unlock()
			if err := output.Encode(seen); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}()
	}
	all.Wait()
}
