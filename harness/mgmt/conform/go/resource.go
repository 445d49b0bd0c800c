package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/purpleidea/mgmt/engine"
	"github.com/purpleidea/mgmt/engine/traits"
	"golang.org/x/time/rate"
)

// script is what a resource does.
type script struct {
	Name       string            `json:"name"`
	Kind       *string           `json:"kind"`
	Traits     []string          `json:"traits"`
	Meta       metaScript        `json:"meta"`
	Wrong      bool              `json:"wrong"`
	Check      []json.RawMessage `json:"check"`
	OnRefresh  string            `json:"on_refresh"`
	Watch      []watchScript     `json:"watch"`
	Validate   []string          `json:"validate"`
	Init       string            `json:"init"`
	Cleanup    string            `json:"cleanup"`
	Cmp        string            `json:"cmp"`
	Sends      []interface{}     `json:"sends"`
	OnError    bool              `json:"send_on_error"`
	Recv       map[string]source `json:"recv"`
	Group      string            `json:"group"`
	GroupTakes *[]string         `json:"group_takes"`
	UIDs       []string          `json:"uids"`
	Wants      [][]want          `json:"wants"`
	WantsStop  string            `json:"wants_stop"`
	WantsError bool              `json:"wants_error"`
}

type metaScript struct {
	Noop       bool     `json:"noop"`
	Retry      int16    `json:"retry"`
	RetryReset bool     `json:"retryreset"`
	Delay      uint64   `json:"delay_ms"`
	Timeout    uint64   `json:"timeout_ms"`
	Poll       int32    `json:"poll_s"`
	Limit      *float64 `json:"limit"`
	Burst      int      `json:"burst"`
	Reset      bool     `json:"reset"`
	Sema       []string `json:"sema"`
	Rewatch    bool     `json:"rewatch"`
	Dollar     bool     `json:"dollar"`
	Hidden     bool     `json:"hidden"`
	NoGroup    bool     `json:"autogroup_disabled"`
	NoEdge     bool     `json:"autoedge_disabled"`
}

type checkStep struct {
	R         string `json:"r"`
	Ms        int64  `json:"ms"`
	Gate      string `json:"gate"`
	IgnoreCtx bool   `json:"ignore_ctx"`
}

type source struct {
	From string `json:"from"`
	Key  string `json:"key"`
}

type want struct {
	UID      string `json:"uid"`
	Reversed bool   `json:"reversed"`
}

// sent is what resources send.
type sent struct {
	Out  string  `lang:"out"`
	Out2 string  `lang:"out2"`
	Num  int64   `lang:"num"`
	Ptr  *string `lang:"ptr"`
}

// slots are the fields that a resource receives in.
type slots struct {
	in, in2 *string
	num     *int64
	ptr     **string
}

func (obj slots) has(key string) bool {
	return key == "in" || key == "in2" || key == "num" || key == "ptr"
}

func (obj slots) value(key string) interface{} {
	switch key {
	case "in":
		return *obj.in
	case "in2":
		return *obj.in2
	case "num":
		return *obj.num
	case "ptr":
		if *obj.ptr != nil {
			return **obj.ptr
		}
	}
	return nil
}

// scripted is a resource with any traits. A generated file has a type for each set of traits, since the engine asks
// types for what they can do.
type scripted interface {
	engine.Res
	itself() *core
	slots() slots
}

// core is what scripted resources share.
type core struct {
	traits.Base
	script *script
	outer  scripted
	init   *engine.Init
	trace  *trace
	label  string

	mutex sync.Mutex
	wrong bool
	told  chan action
	// Its watch runs, or has ended without an error, or has sent an event.
	watching, ended, started bool
	inited, removed, equal   bool
	failed                   *string

	validated, checked, succeeded, batches, watches, revalidations int
	lanes                                                          map[string][]*item
}

func (obj *core) itself() *core { return obj }

// Default is not called: resources are made from scripts.
func (obj *core) Default() engine.Res { return obj.outer }

// newResource is a fresh resource of a script.
func newResource(one *script, trace *trace, label string) scripted {
	own := &core{script: one, trace: trace, label: label, wrong: one.Wrong, lanes: map[string][]*item{}}
	own.outer = withTraits(own, one.Traits)
	kind := "t"
	if one.Kind != nil {
		kind = *one.Kind
	}
	if kind == "EMPTY" {
		kind = ""
	}
	own.SetKind(kind)
	own.SetName(one.Name)
	meta := one.Meta
	limit := rate.Inf
	if meta.Limit != nil {
		limit = rate.Limit(*meta.Limit)
	}
	own.SetMetaParams(&engine.MetaParams{
		Noop: meta.Noop, Retry: meta.Retry, RetryReset: meta.RetryReset, Delay: meta.Delay, Timeout: meta.Timeout,
		Poll: meta.Poll, Limit: limit, Burst: meta.Burst, Reset: meta.Reset, Sema: meta.Sema,
		Rewatch: meta.Rewatch, Dollar: meta.Dollar, Hidden: meta.Hidden,
	})
	if groupable, ok := own.outer.(engine.GroupableRes); ok {
		groupable.SetAutoGroupMeta(&engine.AutoGroupMeta{Disabled: meta.NoGroup})
	}
	if edgeable, ok := own.outer.(engine.EdgeableRes); ok {
		edgeable.SetAutoEdgeMeta(&engine.AutoEdgeMeta{Disabled: meta.NoEdge})
	}
	if recvable, ok := own.outer.(engine.RecvableRes); ok {
		all := map[string]*engine.Send{}
		for key, from := range one.Recv {
			kind, name := parts(from.From)
			all[key] = &engine.Send{Kind: kind, Name: name, Key: from.Key}
		}
		recvable.SetRecv(all)
	}
	trace.mutex.Lock()
	trace.all = append(trace.all, own)
	trace.mutex.Unlock()
	return own.outer
}

// parts are kind and name of `kind[name]`.
func parts(text string) (string, string) {
	for i, c := range text {
		if c == '[' && text[len(text)-1] == ']' {
			return text[:i], text[i+1 : len(text)-1]
		}
	}
	return "", text
}

func shown(err error) interface{} {
	if err == nil {
		return nil
	}
	return err.Error()
}

func (obj *core) Validate() error {
	obj.validated++
	var err error
	if number := obj.validated - 1; number < len(obj.script.Validate) && obj.script.Validate[number] == "error" {
		err = fmt.Errorf("validate failed %d", obj.validated)
	}
	lane, fields := "life", object{"call": "validate", "n": obj.validated}
	if obj.inited {
		// The engine does this again and again: it is counted, and only failures are recorded.
		obj.revalidations++
		if err == nil {
			return nil
		}
		lane = "recv"
		delete(fields, "n")
	}
	if err != nil {
		fields["err"] = err.Error()
	}
	if received := obj.received(); len(received) > 0 {
		values := object{}
		for key := range received {
			if known := obj.outer.slots(); known.has(key) {
				values[key] = known.value(key)
			}
		}
		fields["in"] = values
	}
	obj.trace.once(obj, lane, fields)
	return err
}

// received are the keys that it receives.
func (obj *core) received() map[string]*engine.Send {
	if recvable, ok := obj.outer.(engine.RecvableRes); ok {
		return recvable.Recv()
	}
	return nil
}

func (obj *core) Init(init *engine.Init) error {
	obj.init = init
	obj.trace.mutex.Lock()
	if !obj.script.Meta.Hidden || obj.trace.named[obj.String()] == nil {
		obj.trace.named[obj.String()] = obj
	}
	for _, member := range obj.members() {
		obj.trace.named[member.String()] = member
	}
	obj.trace.mutex.Unlock()
	err := obj.failing("init", obj.script.Init)
	obj.inited = err == nil
	return err
}

func (obj *core) Cleanup() error {
	obj.trace.mutex.Lock()
	if obj.trace.named[obj.String()] == obj {
		delete(obj.trace.named, obj.String())
	}
	obj.trace.mutex.Unlock()
	err := obj.failing("cleanup", obj.script.Cleanup)
	obj.removed = true
	return err
}

func (obj *core) failing(call, script string) error {
	fields := object{"call": call}
	var err error
	if script == "error" {
		err = errors.New(call + " failed")
		fields["err"] = err.Error()
	}
	obj.trace.once(obj, "life", fields)
	return err
}

func (obj *core) Cmp(res engine.Res) error {
	other := res.(scripted)
	err := obj.compared(other)
	fields := object{"call": "cmp", "with": other.itself().label}
	if err != nil {
		fields["err"] = err.Error()
	} else {
		other.itself().equal = true
	}
	obj.trace.once(obj, "life", fields)
	return err
}

func (obj *core) compared(other scripted) error {
	if obj.script.Cmp != other.itself().script.Cmp {
		return errors.New("cmp differs")
	}
	if _, ok := obj.outer.(engine.RecvableRes); !ok {
		return nil
	}
	for _, key := range []string{"in", "in2", "num", "ptr"} {
		if obj.outer.slots().value(key) != other.slots().value(key) {
			return fmt.Errorf("field %s differs", key)
		}
	}
	return nil
}

func (obj *core) groupCmp(res engine.GroupableRes) error {
	other := res.(scripted).itself()
	err := obj.grouped(other)
	fields := object{"call": "groupcmp", "with": other.label}
	if err != nil {
		fields["err"] = err.Error()
	}
	obj.trace.once(obj, "life", fields)
	return err
}

func (obj *core) grouped(other *core) error {
	if obj.script.Group == "" || obj.script.Group != other.script.Group {
		return errors.New("group differs")
	}
	if obj.script.GroupTakes == nil {
		return nil
	}
	for _, kind := range *obj.script.GroupTakes {
		if kind == other.Kind() {
			return nil
		}
	}
	return errors.New("kind not taken")
}

// end says how it stands, in the words of recordings.
func (obj *core) end() string {
	obj.trace.mutex.Lock()
	defer obj.trace.mutex.Unlock()
	if groupable, ok := obj.outer.(engine.GroupableRes); ok && groupable.IsGrouped() {
		head := groupable
		for head.Parent() != nil {
			head = head.Parent()
		}
		switch own := head.(scripted).itself(); {
		case !own.inited && own.equal:
			return "not added: equal to the one that runs"
		case !own.inited:
			return "not added"
		}
		return "grouped"
	}
	switch meta := obj.MetaParams(); {
	case obj.failed == nil && obj.removed:
		return "removed"
	case !obj.inited && obj.equal:
		return "not added: equal to the one that runs"
	case !obj.inited:
		return "not added"
	case obj.failed != nil:
		return "failed: " + *obj.failed
	case obj.ended:
		return "watch ended"
	case !obj.started && obj.checked == 0 && meta.Poll == 0 && !meta.Hidden:
		return "never started"
	case obj.checked == 0:
		return "never ran"
	}
	return "ok"
}

// longest is how long the driver waits for anything.
const longest = 20 * time.Second
