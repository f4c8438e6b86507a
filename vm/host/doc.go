// Package host provides the modules that programs import from the host: spectest, as the
// specification's scripts expect it; wasi_snapshot_preview1 and wasi_unstable; async, a deterministic
// event loop that the program asks; and promise, promises for an event loop that calls back into the
// program (Loop). AssemblyScript makes what modules of that language import from env.
//
// Modules makes them for a machine. Its result is what Machine.Instantiate takes as imports:
//
//	imports, system, err := host.Modules(m, host.Options{Print: os.Stdout, WASI: host.WASI{Stdout: os.Stdout}})
//	if err != nil {
//		return err
//	}
//	defer system.Close() // closes the files that the program left open
//	in, err := m.Instantiate(ctx, module, "main", imports)
//
// Spectest, WASI.System and Loop.Module make them one by one.
package host
