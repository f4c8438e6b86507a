package arith

import (
	"fmt"
	"strconv"
)

// FormatInteger writes the lowest bits of a number in a format for integers: x (hexadecimal), b
// (binary), o (octal), u (unsigned), d (signed). bits is from 1 to 64, and those of n above are 0. ok
// is false if the format is another one.
func FormatInteger(n uint64, bits int, format byte) (text string, ok bool) {
	switch format {
	case 'x':
		return fmt.Sprintf("0x%x", n), true
	case 'b':
		return fmt.Sprintf("0b%b", n), true
	case 'o':
		return fmt.Sprintf("0o%o", n), true
	case 'u':
		return strconv.FormatUint(n, 10), true
	case 'd':
		return strconv.FormatInt(int64(n<<(64-bits))>>(64-bits), 10), true
	}
	return "", false
}
