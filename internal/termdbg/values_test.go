package termdbg

import (
	"testing"
)

// TestValues shows the values of the programs of five compilers, and evaluates expressions of their
// languages, as people do in the terminal.
func TestValues(t *testing.T) {
	for _, x := range []struct{ name, program, commands string }{
		{"c", "c/stock.wasm", `break stock.c:85
continue
locals
print *it
print it->next->name
print it->count + 1
print it->kind == BOOK
print it->name[0] == 'a'
print it->name == "atlas"
print &it->count
print (int)it->price / 4 % 5
print sizeof(struct item)
print it->flags
print it->name[0..3]
print *it@2
print/x it->count
print it->count = 7
print it->flags.shelf = 3
print it->flags.rating += 1
print it->kind = TOOL
print it->name[1] = 'T'
print it->count = 99999999999
print *it
print it->zzz
print nosuch
print it->count +
print it->next == 0 || it->next->count > 1 && !(it->price < 1)
print local 0
print (i32.add (i32.const 1) (i32.const 2))
print local 0 = 5 5
print currency
break stock.c:66 if nosuch
break stock.c:66 if it->zzz > 1
break stock.c:66 if it->count = 1
break stock.c:66 if it->name == "hammer"
break stock.c:104
delete 1
continue
print it->name
delete 5
watch sold
watch it->count
continue
continue
quit
`},
		{"cpp", "cpp/route.wasm", `break route.cpp:101
continue
locals
print map[1]->name_
print *map[1]
print title == "from Aach"
print title.size() + ways.size()
print title[1] == 'r'
print title[99]
print *chur + 1
print nowhere == chur
print ways[1] + ways[2] * 2
print ways[7]
print map[0]->roads_[0].to = 5
print map[0]->roads_
print twice.title
break route.cpp:101 if map[0]->harbour_ && *chur > 1
break route.cpp:77 if best[*nearest] > 3 && road.to
quit
`},
		{"rust", "rust/tasks.wasm", `break tasks.rs:103
continue
locals
print lines
print tasks[1].title
print tasks[1].title == "bäcker"
print tasks.len()
print costs[0] + 1
print best.0.id
print tasks[0].state == Done
print tasks[1].state
print tasks[1].state.hours
print tasks[2].parent.0.title
print pair.1 == 'ß'
print total as u8
print total = 3
print total
print costs[1..]
print &total
print tasks[9]
break tasks.rs:103 if tasks[0].id == 1 && tasks.len() > 2 && pair.0 == 2
break tasks.rs:103 if pair.7 == 1
quit
`},
		{"assemblyscript", "assemblyscript/words.wasm", `break words.ts:23
break words.ts:66
continue
locals
print this.words
print this.words[0].text
print this.total
print text == "rose"
delete 1
continue
locals
print counter.words.length
print parts[1] == "rose"
print counter.words[0].count = 9
print counter.words[0]
break words.ts:23 if text == "is" && this.total > 1
break words.ts:23 if txt == "is"
quit
`},
		{"kotlin", "kotlin/parcels.wasm", `break parcels.kt:76
break parcels.kt:57
continue
locals
print box.inside[0].pages
print box.to == "Bo"
print sizes[1] + 1
print sum + 1
print sum = 40
print sum
print letter.pages = 9
print letter.pages shl 2
print letter is Letter && box !is Letter
print box.inside.size
print box.inside[5]
continue
locals
print stop.left ?: 5
print stop.name.length
print $delivered
break parcels.kt:58 if stop.nam == "x"
break parcels.kt:58 if zzz > 1
break parcels.kt:58 if delivered +
break parcels.kt:40 if ready.size > 1 && turns >= 1
delete 2
watch delivered
continue
quit
`},
	} {
		t.Run(x.name, func(t *testing.T) {
			got, _ := session(t, "../../programs/"+x.program, x.commands)
			golden(t, "values_"+x.name, got)
		})
	}
}
