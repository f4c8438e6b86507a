// An ordinary program for WASI preview 1: arguments, environment, standard streams, files, clocks,
// random numbers, goroutines, a panic, an exit code. TestGoProgram builds and runs it.
package main

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

func main() {
	fmt.Println("args", os.Args[1:], "HOME", os.Getenv("HOME"))
	lines := 0
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		lines++
	}
	fmt.Println("lines", lines)

	text, err := os.ReadFile("/data/in.txt")
	fmt.Printf("read %q %v\n", text, err)
	_, err = os.ReadFile("/data/missing.txt")
	fmt.Println("missing", errors.Is(err, fs.ErrNotExist))
	_, err = os.ReadFile("/data/../secret.txt")
	fmt.Println("outside", err != nil)
	_, err = os.ReadFile("/data/link.txt")
	fmt.Println("by a link", err != nil)
	fmt.Println("write", os.Mkdir("/data/d", 0o755), os.WriteFile("/data/d/a.txt",
		[]byte(strings.ToUpper(string(text))), 0o644),
		os.Rename("/data/d/a.txt", "/data/d/b.txt"))
	st, err := os.Stat("/data/d/b.txt")
	fmt.Println("size", st.Size(), err)
	entries, err := os.ReadDir("/data")
	for _, e := range entries {
		fmt.Print(e.Name(), " ", e.IsDir(), "; ")
	}
	fmt.Println(err)
	fmt.Println("remove", os.RemoveAll("/data/d"))

	start := time.Now()
	time.Sleep(2 * time.Millisecond)
	fmt.Println("slept", time.Since(start) >= 2*time.Millisecond, time.Now().Year() > 2000)
	var a, b [16]byte
	rand.Read(a[:])
	rand.Read(b[:])
	fmt.Println("random", a != b)
	numbers := make(chan int)
	go func() {
		defer close(numbers)
		for i := range 3 {
			numbers <- i
		}
	}()
	for i := range numbers {
		fmt.Print(i, " ")
	}
	fmt.Println()
	fmt.Fprintln(os.Stderr, "to standard error")
	defer func() {
		fmt.Println("recovered:", recover())
		os.Exit(3)
	}()
	var none map[string]int
	none["x"] = 1
}
