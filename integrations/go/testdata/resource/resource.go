package resource

// Res stands for a resource.
type Res struct{}

// Cmp compares nothing.
func (obj *Res) Cmp(other *Res) error { return nil }

// Other stands for a resource of another kind.
type Other struct{}

// Cmp compares nothing.
func (obj *Other) Cmp(other *Other) error { return nil }

func init() {
	engine.RegisterResource("res", func() engine.Res { return &Res{} })
	engine.RegisterResource("other", func() engine.Res { return &Other{} })
}
