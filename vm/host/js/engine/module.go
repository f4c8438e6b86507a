//go:build !js

package engine

import (
	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// Module evaluates the module of a path, and those that it imports. The result is a promise for its
// namespace.
func (e *Engine) Module(path string) (Value, error) {
	file, err := libc.CString(path)
	if err != nil {
		return Undefined, err
	}
	defer libc.Xfree(e.tls, file)
	return e.outcome(lib.XJS_LoadModule(e.tls, e.ctx, 0, file))
}

// onNormalize finds the path of a module that another one imports.
func onNormalize(tls *libc.TLS, ctx, base, name, id uintptr) uintptr {
	e := find(id)
	if e == nil {
		return 0
	}
	from := ""
	if base != 0 {
		from = libc.GoString(base)
	}
	path, source, err := e.Resolve(from, libc.GoString(name))
	if err != nil {
		return e.refuse(err)
	}
	e.sources[path] = source
	p, err := libc.CString(path)
	if err != nil {
		return e.refuse(err)
	}
	defer libc.Xfree(tls, p)
	return lib.Xjs_strdup(tls, ctx, p)
}

// refuse throws a TypeError with the text of an error, and returns a null pointer.
func (e *Engine) refuse(err error) uintptr {
	text, cerr := libc.CString(err.Error())
	format, ferr := libc.CString("%s")
	if cerr != nil || ferr != nil {
		lib.XJS_ThrowOutOfMemory(e.tls, e.ctx)
		return 0
	}
	bp := e.tls.Alloc(16)
	defer e.tls.Free(16)
	lib.XJS_ThrowTypeError(e.tls, e.ctx, format, libc.VaList(bp, text))
	libc.Xfree(e.tls, text)
	libc.Xfree(e.tls, format)
	return 0
}

func onLoad(tls *libc.TLS, ctx, name, id uintptr, _ Value) uintptr {
	e := find(id)
	if e == nil {
		return 0
	}
	path := libc.GoString(name)
	source := e.sources[path]
	delete(e.sources, path)
	src, err := libc.CString(source)
	if err != nil {
		return e.refuse(err)
	}
	defer libc.Xfree(tls, src)
	v := lib.XJS_Eval(
		tls, ctx, src, lib.Tsize_t(len(source)), name, lib.MJS_EVAL_TYPE_MODULE|lib.MJS_EVAL_FLAG_COMPILE_ONLY,
	)
	if v.Ftag == lib.EJS_TAG_EXCEPTION {
		return 0
	}
	m := uintptr(*bits(&v))
	meta := lib.XJS_GetImportMeta(tls, ctx, m)
	e.Define(meta, "url", e.NewString("file://"+path), false)
	e.Free(meta)
	e.Free(v)
	return m
}
