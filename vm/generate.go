package vm

//go:generate go run ../internal/gen/loop
