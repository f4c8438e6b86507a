//go:build !js

package host

import "syscall"

func init() { systemErrors[syscall.ETXTBSY] = errTxtbsy }
