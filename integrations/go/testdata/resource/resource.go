package resource

// Res stands for a resource.
type Res struct{}

// Cmp compares nothing.
func (obj *Res) Cmp(other *Res) error { return nil }
