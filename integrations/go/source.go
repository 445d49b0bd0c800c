package stickler

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// source is what a package's files say about its resources.
type source struct {
	// places has the places of methods: by type, and then by name.
	places map[string]map[string]string
	// types has the type of each kind that the package registers.
	types map[string]string
	// kinds has the kind of each example of stickler.toml.
	kinds []string
}

// methods are what mgmt's engine calls, and what the titles and messages of rules name. A name stands before those
// that it contains.
var methods = []string{
	"CheckApply", "Validate", "Default", "GroupCmp", "Reversed", "Reverse", "AutoEdges", "UIDs",
	"Watch", "Init", "Cleanup", "Close", "Stop", "Copy", "Cmp", "Sends", "SetRefresh",
}

// readSource reads a package and its description. What cannot be parsed is left out: the compiler and Stickler say
// more about it.
func readSource(dir string) source {
	found := source{places: map[string]map[string]string{}, types: map[string]string{}}
	names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.FuncDecl:
				if of := receiver(node); of != "" {
					if found.places[of] == nil {
						found.places[of] = map[string]string{}
					}
					at := files.Position(node.Pos())
					found.places[of][node.Name.Name] = fmt.Sprintf("%s:%d", name, at.Line)
				}
			case *ast.CallExpr:
				found.register(node)
			}
			return true
		})
	}
	text, _ := os.ReadFile(filepath.Join(dir, "stickler.toml"))
	for _, block := range strings.Split("\n"+string(text), "\n[[example]]")[1:] {
		kind := ""
		if named := kindKey.FindStringSubmatch(block); named != nil {
			kind = named[1]
		}
		found.kinds = append(found.kinds, kind)
	}
	return found
}

var kindKey = regexp.MustCompile(`(?m)^kind\s*=\s*["']([^"']*)["']`)

// receiver is the type that a method belongs to, or "".
func receiver(declared *ast.FuncDecl) string {
	if declared.Recv == nil || len(declared.Recv.List) != 1 {
		return ""
	}
	of := declared.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	if name, ok := of.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}

// register takes the kind and the type of engine.RegisterResource("kind", func() engine.Res { return &Type{} }).
func (known *source) register(call *ast.CallExpr) {
	called, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || called.Sel.Name != "RegisterResource" || len(call.Args) != 2 {
		return
	}
	literal, ok := call.Args[0].(*ast.BasicLit)
	if !ok {
		return
	}
	kind, err := strconv.Unquote(literal.Value)
	if err != nil {
		return
	}
	ast.Inspect(call.Args[1], func(node ast.Node) bool {
		if made, ok := node.(*ast.CompositeLit); ok {
			if name, ok := made.Type.(*ast.Ident); ok {
				known.types[kind] = name.Name
			}
		}
		return true
	})
}

var example = regexp.MustCompile(`\be([0-9]+)\b`)

// place is where the method stands that a finding names first: that of the resource under test, or the only one.
func (known source) place(found finding, title string) string {
	only := ""
	if named := example.FindStringSubmatch(found.Case); named != nil {
		if at, err := strconv.Atoi(named[1]); err == nil && at >= 1 && at <= len(known.kinds) {
			only = known.types[known.kinds[at-1]]
		}
	}
	for _, text := range []string{found.Message, title} {
		for _, name := range methods {
			if !strings.Contains(text, name) {
				continue
			}
			if place := known.places[only][name]; place != "" {
				return place
			}
			places := []string{}
			for _, of := range known.places {
				if place := of[name]; place != "" {
					places = append(places, place)
				}
			}
			if len(places) == 1 {
				return places[0]
			}
		}
	}
	return ""
}
