package main

import (
	"context"
	"errors"
	"strings"

	"github.com/purpleidea/mgmt/engine"
)

// uid is a UID of one type, hashed one of another, with a hash.
type uid struct {
	engine.BaseUID
	text string
}

type hashedUID struct{ uid }

func (obj *uid) IFF(other engine.ResUID) bool {
	known, ok := other.(*uid)
	return ok && known.text == obj.text
}

func (obj *hashedUID) IFF(other engine.ResUID) bool {
	known, ok := other.(*hashedUID)
	return ok && known.text == obj.text
}

// UIDHash is equal for equal ones.
func (obj *hashedUID) UIDHash() string { return obj.text }

func (obj *core) uid(text string, reversed bool) engine.ResUID {
	base := engine.BaseUID{Name: obj.Name(), Kind: obj.Kind(), Reversed: &reversed}
	one := uid{BaseUID: base, text: text}
	if strings.HasPrefix(text, "hash:") {
		return &hashedUID{one}
	}
	return &one
}

// UIDs are its own.
func (obj *core) UIDs() []engine.ResUID {
	all, texts := []engine.ResUID{}, []string{}
	for _, text := range obj.script.UIDs {
		all, texts = append(all, obj.uid(text, false)), append(texts, text)
	}
	obj.trace.once(obj, "life", object{"call": "uids", "uids": texts})
	return all
}

// AutoEdges hands out what it wants.
func (obj *core) AutoEdges(context.Context) (engine.AutoEdge, error) {
	fields := object{"call": "autoedges"}
	defer func() { obj.trace.once(obj, "life", fields) }()
	if obj.script.WantsError {
		fields["err"] = "autoedges failed"
		return nil, errors.New("autoedges failed")
	}
	if len(obj.script.Wants) == 0 {
		fields["none"] = true
		return nil, nil
	}
	return &wanted{obj}, nil
}

type wanted struct{ core *core }

// Next is the next batch.
func (obj *wanted) Next() []engine.ResUID {
	own := obj.core
	if own.batches >= len(own.script.Wants) {
		own.trace.once(own, "life", object{"call": "autoedge_next", "uids": nil})
		return nil
	}
	batch := own.script.Wants[own.batches]
	own.batches++
	all, texts := []engine.ResUID{}, []string{}
	for _, one := range batch {
		all, texts = append(all, own.uid(one.UID, one.Reversed)), append(texts, one.UID)
	}
	own.trace.once(own, "life", object{"call": "autoedge_next", "uids": texts})
	return all
}

// Test says whether it wants more.
func (obj *wanted) Test(found []bool) bool {
	own, more := obj.core, true
	switch own.script.WantsStop {
	case "found":
		for _, one := range found {
			more = more && !one
		}
	case "last":
		more = own.batches < len(own.script.Wants)
	}
	own.trace.once(own, "life", object{"call": "autoedge_test", "found": found, "continue": more})
	return more
}
