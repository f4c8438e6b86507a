package coverage_test
import ("testing";"fmt";"stackscope/wasm";"stackscope/vm/debugger")
func TestZZ(t *testing.T){ for _,d:=range wasm.Dialects(){ xs,_:=readExamples(d); for _,x:=range xs { 
 if x.name=="cont/three-way.wat"{ 
 x.run()
 ps:=&programs{dir:t.TempDir(),each:map[*example]*debugger.Program{}}
 c:=construct{dialect:d,name:"resume_throw_ref",op:wasm.Lookup("resume_throw_ref")[0]}
 for _,o:=range c.occurrences(xs){ if o.example!=x {continue}; s,err:=ps.start(o,debugger.Breakpoint{Line: line(o, o.body.Span(o.pc).Start)}); fmt.Println(o.at,err, line(o,o.at)); for range 6 { f,err:=s.top(); fmt.Println(f.Site.Line,f.PC,o.pc,f.Site.Text,err); if err!=nil {break}; s.e.Resume();s.wait()}; s.close() }
 }
 }}}
