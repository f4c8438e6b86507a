// Command dapcheck checks conversations of the Debug Adapter Protocol, of any client with any
// adapter.
//
//	go run ./dap/check/dapcheck -transcript FILE            a recorded conversation
//	go run ./dap/check/dapcheck [flags] -- ADAPTER ARG…     a proxy on standard input and output
//	go run ./dap/check/dapcheck -listen ADDR -connect ADDR  a proxy between TCP connections
//
// Problems go to standard error, one in each line; the exit code is 1 if there are any.
package main

import (
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"

	"stackscope/dap/check"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, stdin io.ReadCloser, stdout io.WriteCloser, stderr io.Writer) int {
	f := flag.NewFlagSet("dapcheck", flag.ContinueOnError)
	f.SetOutput(stderr)
	transcript := f.String("transcript", "", "check the conversation recorded in `FILE`")
	listen := f.String("listen", "", "proxy one client that connects to `ADDR`")
	connect := f.String("connect", "", "connect to the adapter at `ADDR`")
	record := f.String("record", "", "write the conversation to `FILE`")
	schema := f.String(
		"schema", "", "`FILE` with the protocol's JSON schema; default: the one that the module go-dap carries",
	)
	strict := f.Bool(
		"strict", false,
		"also check the narrower rules of stackscope's adapter, and report fields that are not in the protocol",
	)
	side := f.String("side", "", "report only problems of `SIDE`: client or adapter")
	ignore := f.String("ignore", "", "skip `RULES`, separated by commas")
	rules := f.Bool("rules", false, "list the rules")
	if err := f.Parse(args); err != nil {
		return 2
	}
	if *side != "" && *side != check.Client.String() && *side != check.Adapter.String() {
		fmt.Fprintf(stderr, "dapcheck: -side %q: want client or adapter\n", *side)
		return 2
	}
	if *rules {
		for _, r := range check.Rules() {
			fmt.Fprintf(stdout, "%-22s %s\n", r.Rule, r.Text)
		}
		return 0
	}
	fail := func(err error) int {
		fmt.Fprintln(stderr, "dapcheck:", err)
		return 2
	}
	o, err := options(*schema, *strict, *ignore)
	if err != nil {
		return fail(err)
	}
	n := 0
	tell := func(problems []check.Problem) {
		for _, p := range problems {
			if *side != "" && p.Side.String() != *side {
				continue
			}
			n++
			fmt.Fprintln(stderr, p.Error())
		}
	}
	if *transcript != "" {
		in, err := os.Open(*transcript)
		if err != nil {
			return fail(err)
		}
		defer in.Close()
		entries, err := check.ReadTranscript(in)
		if err != nil {
			return fail(fmt.Errorf("%s: %v", *transcript, err))
		}
		if len(entries) == 0 {
			return fail(fmt.Errorf("%s: no messages", *transcript))
		}
		tell(check.Transcript(entries, o, true))
		fmt.Fprintf(stderr, "%d messages, %d problems\n", len(entries), n)
		return min(n, 1)
	}
	client, adapter, err := ends(*listen, *connect, f.Args(), stdin, stdout, stderr)
	if err != nil {
		return fail(err)
	}
	log := io.Discard
	if *record != "" {
		w, err := os.Create(*record)
		if err != nil {
			return fail(err)
		}
		defer w.Close()
		log = w
	}
	c := check.New(o)
	err = check.Proxy(client, adapter, func(from check.Side, raw []byte) {
		check.Write(log, from, raw)
		tell(c.Message(from, raw))
	})
	tell(c.End())
	if err != nil {
		return fail(err)
	}
	return min(n, 1)
}

func options(schema string, strict bool, ignore string) (check.Options, error) {
	o := check.Options{Strict: strict, Ignore: map[check.Rule]bool{}}
	known := map[check.Rule]bool{}
	for _, r := range check.Rules() {
		known[r.Rule] = true
	}
	for _, r := range strings.Split(ignore, ",") {
		if r == "" {
			continue
		}
		if !known[check.Rule(r)] {
			return o, fmt.Errorf("unknown rule %q; -rules lists them", r)
		}
		o.Ignore[check.Rule(r)] = true
	}
	var err error
	if schema == "" {
		if schema, err = check.FindSchema(); err != nil {
			return o, fmt.Errorf("%v; set one with -schema", err)
		}
	}
	o.Schema, err = check.LoadSchema(schema, strict)
	return o, err
}

// pair is one end made of two pipes.
type pair struct {
	io.ReadCloser
	w io.WriteCloser
}

func (p pair) Write(b []byte) (int, error) { return p.w.Write(b) }

func (p pair) Close() error {
	p.w.Close()
	return p.ReadCloser.Close()
}

// halfway closes only what is written, so that what the adapter still sends is read.
type halfway struct{ pair }

func (p halfway) Close() error { return p.w.Close() }

func ends(
	listen, connect string, command []string, stdin io.ReadCloser, stdout io.WriteCloser, stderr io.Writer,
) (client, adapter io.ReadWriteCloser, err error) {
	switch {
	case connect != "" && len(command) > 0:
		return nil, nil, fmt.Errorf("use either -connect or a command")
	case connect != "":
		if adapter, err = net.Dial("tcp", connect); err != nil {
			return nil, nil, err
		}
	case len(command) > 0:
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Stderr = stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			return nil, nil, err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return nil, nil, err
		}
		if err := cmd.Start(); err != nil {
			return nil, nil, err
		}
		adapter = halfway{pair{out, in}}
	default:
		return nil, nil, fmt.Errorf("want a transcript, the command of an adapter, or -connect; see -h")
	}
	if listen == "" {
		return pair{stdin, stdout}, adapter, nil
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, nil, err
	}
	defer l.Close()
	fmt.Fprintln(stderr, "listening on", l.Addr())
	client, err = l.Accept()
	return client, adapter, err
}
