package binary_test

import (
	"fmt"

	"stackscope/wasm/binary"
)

func ExampleDecode() {
	m, err := binary.Decode([]byte("\x00asm\x01\x00\x00\x00" +
		"\x01\x05\x01\x60\x00\x01\x7f\x03\x02\x01\x00\x0a\x06\x01\x04\x00\x41\x07\x0b"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, in := range m.Funcs[0].Body {
		fmt.Println(in.Op)
	}
	_, err = binary.Decode([]byte("\x00asm\x02\x00\x00\x00"))
	fmt.Println(err)
	// Output:
	// i32.const
	// end
	// unknown binary version (at byte 0x4)
}
