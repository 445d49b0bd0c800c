package main

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// watcher is a call of Watch.
type watcher struct {
	ctx    context.Context
	cancel context.CancelFunc
	delay  bool
	acks   chan struct{}
	// free is closed once nobody waits for the end any more: then events are held no longer.
	free   chan struct{}
	isFree bool
	mutex  sync.Mutex
	ended  bool
	err    interface{}
	count  int
	// held is how many events wait to be taken.
	held int
	// happened are the things that no await has returned yet.
	happened []string
	news     chan struct{}
}

func (obj *watcher) hasEnded() bool {
	obj.mutex.Lock()
	defer obj.mutex.Unlock()
	return obj.ended
}

func (obj *watcher) hasNews() bool {
	obj.mutex.Lock()
	defer obj.mutex.Unlock()
	return len(obj.happened) > 0
}

// note keeps what happened for an await.
func (obj *watcher) note(what string) {
	obj.mutex.Lock()
	obj.happened = append(obj.happened, what)
	obj.mutex.Unlock()
	select {
	case obj.news <- struct{}{}:
	default:
	}
}

// take gives what happened first, if something did.
func (obj *watcher) take(wanted string) (string, bool) {
	obj.mutex.Lock()
	defer obj.mutex.Unlock()
	for len(obj.happened) > 0 {
		first := obj.happened[0]
		obj.happened = obj.happened[1:]
		if wanted == "" || first == wanted || first == "ended" {
			return first, true
		}
	}
	return "", false
}

func (obj *server) watch(request *request) (object, error) {
	own, err := obj.known(request, "resource")
	if err != nil {
		return nil, err
	}
	if !own.begun {
		return nil, refuse(notNow, "it has not begun")
	}
	if own.watcher != nil && !own.watcher.hasEnded() {
		return nil, refuse(notNow, "it watches already")
	}
	own.reopen()
	ctx, cancel := context.WithCancel(context.Background())
	watcher := &watcher{
		ctx:    ctx,
		cancel: cancel,
		delay:  request.truth("delay"),
		acks:   make(chan struct{}),
		free:   make(chan struct{}),
		news:   make(chan struct{}, 1),
	}
	own.watcher = watcher
	args := []reflect.Value{}
	if takesContext(own.method("Watch"), 1) {
		args = append(args, reflect.ValueOf(ctx))
	}
	go func() {
		params := object{"resource": own.label, "error": nil, "panic": nil}
		func() {
			defer func() {
				if r := recover(); r != nil {
					text, stack := fmt.Sprint(r), string(debug.Stack())
					params["panic"], params["stack"], params["needs"] = text, stack, lacks(text, stack)
				}
			}()
			results, err := own.call("Watch", args...)
			if err != nil {
				params["error"] = err.Error()
				return
			}
			params["error"] = told(results)
		}()
		obj.tell("ended", params)
		watcher.mutex.Lock()
		watcher.ended, watcher.err = true, params["error"]
		watcher.happened = append(watcher.happened, "ended")
		watcher.mutex.Unlock()
		select {
		case watcher.news <- struct{}{}:
		default:
		}
	}()
	return nil, nil
}

// goroutine names the present one: "goroutine 7".
func goroutine() string {
	text := make([]byte, 64)
	text = text[:runtime.Stack(text, false)]
	name, _, _ := strings.Cut(string(text), " [")
	return name
}

// event is a call of Running or Event. It waits until the harness acknowledges it, as the engine does.
func (obj *resource) event(args []reflect.Value, running bool) []interface{} {
	watcher := obj.watcher
	// One that is sent by CheckApply would wait for itself.
	if watcher == nil || watcher.hasEnded() || goroutine() == obj.caller.Load() {
		name := "Event"
		if running {
			name = "Running"
		}
		obj.server.tell("misuse", object{"resource": obj.label, "call": name, "where": "outside of Watch"})
		return []interface{}{nil}
	}
	what := "event"
	watcher.mutex.Lock()
	watcher.count++
	watcher.held++
	number := watcher.count
	watcher.mutex.Unlock()
	defer func() {
		watcher.mutex.Lock()
		watcher.held--
		watcher.mutex.Unlock()
	}()
	if running || number == 1 && !hasRunning() {
		what = "started"
	}
	obj.server.tell(what, object{"resource": obj.label, "n": number})
	watcher.note(what)
	done := watcher.ctx.Done()
	var own <-chan struct{}
	if len(args) == 1 {
		if ctx, ok := args[0].Interface().(context.Context); ok {
			// The engine looks at no other context than this one.
			own, done = ctx.Done(), watcher.free
		}
	}
	acks := watcher.acks
	if watcher.delay {
		acks = nil
	}
	select {
	case <-acks:
		return []interface{}{nil}
	case <-own:
		return []interface{}{args[0].Interface().(context.Context).Err()}
	case <-done:
		return []interface{}{context.Canceled}
	}
}

func (obj *server) watched(request *request) (*watcher, *resource, error) {
	own, err := obj.known(request, "resource")
	if err != nil {
		return nil, nil, err
	}
	if own.watcher == nil {
		return nil, nil, refuse(notNow, "it does not watch")
	}
	return own.watcher, own, nil
}

func (obj *server) await(request *request) (object, error) {
	watcher, _, err := obj.watched(request)
	if err != nil {
		return nil, err
	}
	limit := time.After(time.Duration(request.number("ms")) * time.Millisecond)
	for {
		if what, ok := watcher.take(request.text("what")); ok {
			watcher.mutex.Lock()
			defer watcher.mutex.Unlock()
			return object{"what": what, "error": watcher.err}, nil
		}
		// Nothing comes after the end.
		if watcher.hasEnded() && !watcher.hasNews() {
			return object{"what": "ended", "error": watcher.err}, nil
		}
		select {
		case <-watcher.news:
		case <-limit:
			return object{"what": "nothing", "error": nil}, nil
		}
	}
}

// ack lets Watch go on behind an event, if it waits at one.
func (obj *server) ack(request *request) (object, error) {
	watcher, _, err := obj.watched(request)
	if err != nil {
		return nil, err
	}
	select {
	case watcher.acks <- struct{}{}:
		return object{"taken": true}, nil
	case <-time.After(50 * time.Millisecond):
		return object{"taken": false}, nil
	}
}

func (obj *server) cancel(request *request) (object, error) {
	watcher, own, err := obj.watched(request)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	watcher.cancel()
	if own.done != nil && !own.isDone {
		own.isDone = true
		close(own.done)
	}
	limit := time.Duration(request.number("ms")) * time.Millisecond
	for !watcher.hasEnded() && time.Since(begun) < limit {
		time.Sleep(time.Millisecond)
	}
	answer := watcher.state()
	answer["ms"] = time.Since(begun).Milliseconds()
	watcher.release()
	return answer, nil
}

// state says whether Watch has ended, and whether it waits at an event.
func (obj *watcher) state() object {
	obj.mutex.Lock()
	defer obj.mutex.Unlock()
	return object{"ended": obj.ended, "error": obj.err, "held": !obj.ended && obj.held > 0}
}

// release lets a Watch end that stays only since an event of it is held.
func (obj *watcher) release() {
	if obj.isFree {
		return
	}
	obj.isFree = true
	close(obj.free)
	for begun := time.Now(); !obj.hasEnded() && time.Since(begun) < settling; {
		time.Sleep(time.Millisecond)
	}
}
