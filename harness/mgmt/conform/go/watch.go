package main

import (
	"context"
	"fmt"
)

// watchScript is what a call of Watch does.
type watchScript struct {
	First    string `json:"first"`
	AfterMs  int64  `json:"after_ms"`
	Events   int    `json:"events"`
	Then     string `json:"then"`
	ThenMs   int64  `json:"then_ms"`
	OnCancel string `json:"on_cancel"`
	SlowMs   int64  `json:"slow_ms"`
}

// watch is a running call of Watch.
type watch struct {
	core   *core
	script watchScript
	number int
	told   chan action
	// Has it sent an event?
	sent bool
}

func (obj *core) Watch(ctx context.Context) error {
	obj.watches++
	one := &watch{core: obj, number: obj.watches, told: make(chan action, 64)}
	if count := len(obj.script.Watch); count > 0 {
		one.script = obj.script.Watch[min(one.number, count)-1]
	}
	obj.trace.once(obj, "watch", object{"call": "watch_begin", "n": one.number})
	obj.mutex.Lock()
	obj.watching, obj.told = true, one.told
	obj.mutex.Unlock()
	err := one.run(ctx)
	obj.mutex.Lock()
	obj.watching = false
	obj.mutex.Unlock()
	fields := object{"call": "watch_end"}
	panics, isPanic := err.(thrown)
	switch {
	case isPanic:
		fields["panic"] = panics.Error()
	case err != nil:
		fields["err"] = err.Error()
	default:
		obj.trace.mutex.Lock()
		obj.ended = ctx.Err() == nil
		obj.trace.mutex.Unlock()
	}
	obj.trace.once(obj, "watch", fields)
	if isPanic {
		panic(panics.Error())
	}
	return err
}

func (obj *watch) run(ctx context.Context) error {
	switch obj.script.First {
	case "after":
		if obj.core.trace.wait(ctx, obj.script.AfterMs) != nil {
			return obj.cancelled(ctx)
		}
		fallthrough
	case "", "now":
		if !obj.events(ctx, obj.script.Events+1) {
			return obj.cancelled(ctx)
		}
	case "command":
		return obj.commands(ctx)
	}
	return obj.then(ctx)
}

// then is what the script does after its events.
func (obj *watch) then(ctx context.Context) error {
	switch obj.script.Then {
	case "", "wait":
		return obj.commands(ctx)
	}
	if obj.core.trace.wait(ctx, obj.script.ThenMs) != nil {
		return obj.cancelled(ctx)
	}
	return obj.result(obj.script.Then)
}

// commands does what it is told.
func (obj *watch) commands(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return obj.cancelled(ctx)
		case told := <-obj.told:
			switch {
			case told.Cmd == "first":
				if !obj.events(ctx, obj.script.Events+1) {
					return obj.cancelled(ctx)
				}
				return obj.then(ctx)
			case told.Cmd != "":
				return obj.result(told.Cmd)
			case !obj.events(ctx, number(told.N)):
				return obj.cancelled(ctx)
			}
		}
	}
}

func number(given *int) int {
	if given == nil {
		return 1
	}
	return *given
}

// events sends events, and says whether the engine took them.
func (obj *watch) events(ctx context.Context, count int) bool {
	for i := 0; i < count; i++ {
		fields := object{"call": "event"}
		if !obj.sent {
			fields["first"] = true
		}
		obj.sent = true
		one := obj.core.trace.begin(obj.core, "watch", fields)
		if obj.core.init.Event(ctx) != nil {
			obj.core.trace.offered(one, object{"result": "cancelled"})
			return false
		}
		obj.core.trace.offered(one, object{"result": "accepted"})
		obj.core.trace.mutex.Lock()
		obj.core.started = true
		obj.core.trace.mutex.Unlock()
	}
	return true
}

func (obj *watch) result(word string) error {
	switch word {
	case "error":
		return fmt.Errorf("watch failed %d", obj.number)
	case "panic":
		return thrown(fmt.Sprintf("watch panic %d", obj.number))
	}
	return nil
}

// cancelled is what it returns when its context ends.
func (obj *watch) cancelled(ctx context.Context) error {
	switch obj.script.OnCancel {
	case "nil":
		return nil
	case "error":
		return fmt.Errorf("watch late error %d", obj.number)
	case "slow":
		_ = obj.core.trace.wait(context.Background(), obj.script.SlowMs)
	}
	<-ctx.Done()
	return ctx.Err()
}
