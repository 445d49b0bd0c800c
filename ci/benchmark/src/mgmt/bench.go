// Package bench has a sound resource with eight fields, and one whose CheckApply does nothing.
package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/purpleidea/mgmt/engine"
	"github.com/purpleidea/mgmt/engine/traits"
)

func init() {
	engine.RegisterResource("eight", func() engine.Res { return &EightRes{} })
	engine.RegisterResource("idle", func() engine.Res { return &IdleRes{} })
}

// EightRes is a file whose name is the resource's, and which holds a text and further lines.
type EightRes struct {
	traits.Base
	traits.Edgeable

	init *engine.Init

	// Text is the first line.
	Text string `lang:"text" yaml:"text"`
	// Lines are the further lines.
	Lines []string `lang:"lines" yaml:"lines"`
	// Mode are the permission bits.
	Mode uint32 `lang:"mode" yaml:"mode"`
	// Labels are lines of their own, sorted by their names.
	Labels map[string]string `lang:"labels" yaml:"labels"`
	// Loud asks for capitals.
	Loud bool `lang:"loud" yaml:"loud"`
	// Title is the line before all others, if there is one.
	Title string `lang:"title" yaml:"title"`
	// Footer are the lines behind all others.
	Footer []string `lang:"footer" yaml:"footer"`
	// Indent is a number of blanks before each line.
	Indent uint8 `lang:"indent" yaml:"indent"`
}

// Default sets what is not zero.
func (obj *EightRes) Default() engine.Res {
	return &EightRes{
		Mode:   0o644,
		Labels: map[string]string{},
	}
}

// Validate looks at the fields alone.
func (obj *EightRes) Validate() error {
	if !filepath.IsAbs(obj.Name()) {
		return fmt.Errorf("the name has to be an absolute path")
	}
	if strings.Contains(obj.Name(), "\x00") {
		return fmt.Errorf("the name has a zero byte")
	}
	if strings.Contains(obj.Text+obj.Title, "\n") {
		return fmt.Errorf("the text is one line")
	}
	if obj.Mode == 0 || obj.Mode > 0o777 {
		return fmt.Errorf("the mode has permission bits alone")
	}
	return nil
}

// Init keeps what the engine gives.
func (obj *EightRes) Init(init *engine.Init) error {
	obj.init = init
	return nil
}

// Cleanup has nothing to free.
func (obj *EightRes) Cleanup() error {
	return nil
}

// content is what the file has to hold.
func (obj *EightRes) content() string {
	text := obj.Text + "\n"
	for _, line := range obj.Lines {
		text += line + "\n"
	}
	names := []string{}
	for name := range obj.Labels {
		names = append(names, name)
	}
	for i := range names {
		for j := i + 1; j < len(names); j++ {
			if names[j] < names[i] {
				names[i], names[j] = names[j], names[i]
			}
		}
	}
	for _, name := range names {
		text += name + "=" + obj.Labels[name] + "\n"
	}
	for _, line := range obj.Footer {
		text += line + "\n"
	}
	if obj.Title != "" {
		text = obj.Title + "\n" + text
	}
	if obj.Loud {
		text = strings.ToUpper(text)
	}
	if blanks := strings.Repeat(" ", int(obj.Indent)); blanks != "" {
		text = blanks + strings.ReplaceAll(text, "\n", "\n"+blanks)
	}
	return text
}

// right says whether the file is as it has to be.
func (obj *EightRes) right() (bool, error) {
	info, err := os.Lstat(obj.Name())
	if os.IsNotExist(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, fmt.Errorf("it is not a regular file")
	}
	found, err := os.ReadFile(obj.Name())
	if err != nil {
		return false, err
	}
	return string(found) == obj.content() && info.Mode().Perm() == os.FileMode(obj.Mode), nil
}

// write replaces the file as a whole.
func (obj *EightRes) write() error {
	temporary := obj.Name() + ".note-new"
	if err := os.Remove(temporary); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.WriteFile(temporary, []byte(obj.content()), 0o600); err != nil {
		return err
	}
	if err := os.Chmod(temporary, os.FileMode(obj.Mode)); err != nil {
		return err
	}
	return os.Rename(temporary, obj.Name())
}

// CheckApply looks, and writes only if it has to.
func (obj *EightRes) CheckApply(ctx context.Context, apply bool) (bool, error) {
	right, err := obj.right()
	if err != nil {
		return false, err
	}
	if right {
		return true, nil
	}
	if !apply {
		return false, nil
	}
	if err := obj.write(); err != nil {
		return false, err
	}
	return false, nil
}

// Watch looks at the file from time to time.
func (obj *EightRes) Watch(ctx context.Context) error {
	seen := obj.seen()
	if err := obj.init.Event(ctx); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
		if now := obj.seen(); now != seen {
			seen = now
			if err := obj.init.Event(ctx); err != nil {
				return err
			}
		}
	}
}

// seen tells states of the file apart.
func (obj *EightRes) seen() string {
	info, err := os.Lstat(obj.Name())
	if err != nil {
		return err.Error()
	}
	found, _ := os.ReadFile(obj.Name())
	return info.Mode().String() + string(found)
}

// Cmp compares all public fields.
func (obj *EightRes) Cmp(r engine.Res) error {
	res, ok := r.(*EightRes)
	if !ok {
		return fmt.Errorf("not a %s", obj.Kind())
	}
	if obj.Text != res.Text {
		return fmt.Errorf("the text differs")
	}
	if len(obj.Lines) != len(res.Lines) {
		return fmt.Errorf("the number of lines differs")
	}
	for i, line := range obj.Lines {
		if line != res.Lines[i] {
			return fmt.Errorf("a line differs")
		}
	}
	if obj.Mode != res.Mode {
		return fmt.Errorf("the mode differs")
	}
	if len(obj.Labels)+len(res.Labels) > 0 && !reflect.DeepEqual(obj.Labels, res.Labels) {
		return fmt.Errorf("the labels differ")
	}
	if obj.Loud != res.Loud {
		return fmt.Errorf("the loudness differs")
	}
	if obj.Title != res.Title || obj.Indent != res.Indent {
		return fmt.Errorf("the title or the indent differs")
	}
	if len(obj.Footer) != len(res.Footer) {
		return fmt.Errorf("the length of the footer differs")
	}
	for i, line := range obj.Footer {
		if line != res.Footer[i] {
			return fmt.Errorf("the footer differs")
		}
	}
	return nil
}

// Copy is deep.
func (obj *EightRes) Copy() engine.CopyableRes {
	labels := map[string]string{}
	for name, label := range obj.Labels {
		labels[name] = label
	}
	return &EightRes{
		Text:   obj.Text,
		Lines:  append([]string(nil), obj.Lines...),
		Mode:   obj.Mode,
		Labels: labels,
		Loud:   obj.Loud,
		Title:  obj.Title,
		Footer: append([]string(nil), obj.Footer...),
		Indent: obj.Indent,
	}
}

// UID is the path of a file.
type UID struct {
	name, kind, path string
}

// GetName is the name of the resource.
func (obj *UID) GetName() string { return obj.name }

// GetKind is its kind.
func (obj *UID) GetKind() string { return obj.kind }

// String is for people.
func (obj *UID) String() string { return obj.path }

// IsReversed says in which direction an edge goes.
func (obj *UID) IsReversed() bool { return false }

// IFF says whether both are the same file.
func (obj *UID) IFF(uid engine.ResUID) bool {
	other, ok := uid.(*UID)
	return ok && obj.path == other.path
}

// UIDs has the path.
func (obj *EightRes) UIDs() []engine.ResUID {
	return []engine.ResUID{&UID{name: obj.Name(), kind: obj.Kind(), path: obj.Name()}}
}

// AutoEdges wants nothing.
func (obj *EightRes) AutoEdges(ctx context.Context) (engine.AutoEdge, error) {
	return nil, nil
}

// IdleRes is always right.
type IdleRes struct {
	traits.Base

	init *engine.Init
}

// Default has nothing to set.
func (obj *IdleRes) Default() engine.Res { return &IdleRes{} }

// Validate takes everything.
func (obj *IdleRes) Validate() error { return nil }

// Init keeps what the engine gives.
func (obj *IdleRes) Init(init *engine.Init) error {
	obj.init = init
	return nil
}

// Cleanup has nothing to free.
func (obj *IdleRes) Cleanup() error { return nil }

// CheckApply has nothing to do.
func (obj *IdleRes) CheckApply(ctx context.Context, apply bool) (bool, error) { return true, nil }

// Watch waits for its end.
func (obj *IdleRes) Watch(ctx context.Context) error {
	if err := obj.init.Event(ctx); err != nil {
		return err
	}
	<-ctx.Done()
	return ctx.Err()
}

// Cmp has nothing to compare.
func (obj *IdleRes) Cmp(r engine.Res) error {
	if _, ok := r.(*IdleRes); !ok {
		return fmt.Errorf("not a %s", obj.Kind())
	}
	return nil
}
