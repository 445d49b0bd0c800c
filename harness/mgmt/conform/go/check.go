package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/purpleidea/mgmt/engine"
)

// thrown is an error that CheckApply or Watch panics with.
type thrown string

func (obj thrown) Error() string { return string(obj) }

func (obj *core) CheckApply(ctx context.Context, apply bool) (bool, error) {
	obj.checked++
	number := obj.checked
	fields := object{"call": "checkapply", "n": number, "apply": apply}
	refresh := false
	if _, ok := obj.outer.(engine.RefreshableRes); ok {
		refresh = obj.init.Refresh()
		fields["refresh"] = refresh
	}
	if received := obj.values(); len(received) > 0 {
		fields["recv"] = received
	}
	members := obj.members()
	if len(members) > 0 {
		all := object{}
		for _, member := range members {
			own := object{}
			if received := member.values(); len(received) > 0 {
				own["recv"] = received
			}
			all[member.label] = own
		}
		fields["group"] = all
	}
	one := obj.trace.begin(obj, "run", fields)
	obj.trace.count(&obj.trace.running, 1)
	ok, err := obj.checkApply(ctx, apply, refresh, number)
	more := object{}
	if value := obj.send(err == nil); value != nil {
		more["sent"] = value
	}
	of := object{}
	for _, member := range members {
		if value := member.send(err == nil); value != nil {
			of[member.label] = value
		}
	}
	if len(of) > 0 {
		more["group_sent"] = of
	}
	obj.trace.count(&obj.trace.running, -1)
	if panics := thrown(""); errors.As(err, &panics) {
		more["panic"] = panics.Error()
		obj.trace.end(one, more)
		panic(panics.Error())
	}
	more["ret"] = []interface{}{ok, shown(err)}
	obj.trace.end(one, more)
	return ok, err
}

// values are what it received, and whether that is new.
func (obj *core) values() object {
	all := object{}
	for key, send := range obj.received() {
		all[key] = []interface{}{obj.outer.slots().value(key), send.Changed}
	}
	return all
}

// members are all that are grouped in it.
func (obj *core) members() []*core {
	groupable, ok := obj.outer.(engine.GroupableRes)
	if !ok {
		return nil
	}
	all := []*core{}
	for _, member := range groupable.GetGroup() {
		own := member.(scripted).itself()
		all = append(append(all, own), own.members()...)
	}
	return all
}

func (obj *core) step(number int) checkStep {
	one := checkStep{}
	if number <= len(obj.script.Check) {
		given := obj.script.Check[number-1]
		if json.Unmarshal(given, &one.R) != nil {
			_ = json.Unmarshal(given, &one)
		}
	}
	if one.R == "" {
		one.R = "state"
	}
	return one
}

func (obj *core) checkApply(ctx context.Context, apply, refresh bool, number int) (bool, error) {
	step := obj.step(number)
	heeds := ctx
	if step.IgnoreCtx {
		heeds = context.Background()
	}
	if step.Ms > 0 {
		if err := obj.trace.wait(heeds, step.Ms); err != nil {
			return false, err
		}
	}
	if step.Gate != "" {
		select {
		case <-obj.trace.gate(step.Gate):
		case <-heeds.Done():
			return false, heeds.Err()
		}
	}
	obj.mutex.Lock()
	defer obj.mutex.Unlock()
	switch step.R {
	case "ok":
		return true, nil
	case "changed":
		obj.wrong = obj.wrong && !apply
		return false, nil
	case "error":
		return false, fmt.Errorf("check failed %d", number)
	case "true_error":
		return true, fmt.Errorf("check failed %d", number)
	case "panic":
		return false, thrown(fmt.Sprintf("check panic %d", number))
	case "hang":
		obj.mutex.Unlock()
		<-ctx.Done()
		obj.mutex.Lock()
		return false, ctx.Err()
	}
	if obj.wrong {
		obj.wrong = !apply
		return false, nil
	}
	return !(refresh && apply) || obj.script.OnRefresh == "ok", nil
}

// send sends the next value, and returns it.
func (obj *core) send(success bool) interface{} {
	if !success && !obj.script.OnError {
		return nil
	}
	place := obj.succeeded
	obj.succeeded++
	sendable, ok := obj.outer.(engine.SendableRes)
	if !ok || len(obj.script.Sends) == 0 {
		return nil
	}
	value := obj.script.Sends[min(place, len(obj.script.Sends)-1)]
	one := &sent{}
	switch value := value.(type) {
	case string:
		one.Out, one.Out2, one.Ptr = value, value+"2", &value
	case float64:
		one.Num = int64(value)
	default:
		return nil
	}
	if err := sendable.Send(one); err != nil {
		return nil
	}
	return value
}
