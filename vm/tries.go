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
	rs := fr.fn.code.regions
	for j := len(rs) - 1; j >= 0; j-- {
		r := &rs[j]
		if fr.pc < r.from || fr.pc >= r.to {
			continue
		}
		if r.delegate {
			j = r.next + 1
			continue
		}
		t := Try{PC: int(r.from) - 1}
		for k := range r.catches {
			if c := &r.catches[k]; c.kind >= wasm.CatchAll {
				t.Tags = append(t.Tags, nil)
			} else {
				t.Tags = append(t.Tags, fr.fn.inst.tags[c.tag])
			}
		}
		out = append(out, t)
	}
	return out
}
