package vm

import "stackscope/wasm"

// Try is a try_table, or a legacy try, around the instruction where a frame stands.
type Try struct {
	PC   int    // where it begins
	Tags []*Tag // the tags that it catches; nil stands for every exception
}

// Tries returns the tries in which an exception is looked up that is thrown by the instruction
// where a frame stands, or comes out of what it waits for: innermost first, without those that a
// legacy delegate skips.
func (f *Frame) Tries() []Try {
	fr := f.raw()
	if fr.fn.code == nil {
		return nil
	}
	var out []Try
	rs := fr.fn.code.Regions
	for j := len(rs) - 1; j >= 0; j-- {
		r := &rs[j]
		if fr.pc < r.From || fr.pc >= r.To {
			continue
		}
		if r.Delegate {
			j = r.Next + 1
			continue
		}
		t := Try{PC: int(r.From) - 1}
		for k := range r.Catches {
			if c := &r.Catches[k]; c.Kind >= wasm.CatchAll {
				t.Tags = append(t.Tags, nil)
			} else {
				t.Tags = append(t.Tags, fr.fn.inst.tags[c.Tag])
			}
		}
		out = append(out, t)
	}
	return out
}
