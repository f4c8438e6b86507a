package cli

import (
	"fmt"
	"io"
	"log/slog"
	"os"

	"go.uber.org/zap"
	"go.uber.org/zap/exp/zapslog"
	"go.uber.org/zap/zapcore"
)

// LogFlag is the row of --log.
func LogFlag(p *string) Flag {
	return Flag{Name: "log", Arg: "FILE", Usage: "write the log to FILE instead of standard error", Value: String(p)}
}

// LevelFlag is the row of --log-level.
func LevelFlag(p *string) Flag {
	return Flag{
		Name: "log-level", Arg: "LEVEL", Default: "warn", Value: String(p),
		Usage: "log messages of at least LEVEL: debug, info, warn or error",
	}
}

// Logger returns the log of a command, of what is at least of the level (debug, info, warn, error),
// in lines of text to the file, or to standard error without one. done closes it. Nothing is
// buffered, and nothing waits for the disk.
func (e *Env) Logger(file, level string) (log *slog.Logger, done func(), err error) {
	lvl, err := zapcore.ParseLevel(level)
	if err != nil {
		return nil, nil, err
	}
	out, done := unsynced(e.Stderr), func() {}
	if file != "" {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, fmt.Errorf("cannot write the log: %w", err)
		}
		out, done = unsynced(f), func() { _ = f.Close() }
	}
	cfg := zap.NewDevelopmentEncoderConfig()
	cfg.EncodeTime = zapcore.ISO8601TimeEncoder
	core := zapcore.NewCore(zapcore.NewConsoleEncoder(cfg), out, lvl)
	// Errors that need a stack trace bring their own.
	return slog.New(zapslog.NewHandler(core, zapslog.AddStacktraceAt(slog.LevelError+1))), done, nil
}

// unsynced is a writer for the log whose Sync does nothing: that of a file may take seconds.
func unsynced(w io.Writer) zapcore.WriteSyncer {
	return zapcore.Lock(zapcore.AddSync(struct{ io.Writer }{w}))
}
