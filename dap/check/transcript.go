package check

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Entry is a message of a transcript.
type Entry struct {
	From Side
	Raw  json.RawMessage
}

// marks returns the marks before a message, by who sent it: this project's golden transcripts and
// its log, the logs of delve, and those of VS Code.
func marks() map[string]Side {
	return map[string]Side{
		"→": Client, "←": Adapter,
		"-->": Client, "<--": Adapter,
		"[<- from client]": Client, "[-> to client]": Adapter,
		"From client": Client, "To client": Adapter,
	}
}

// ReadTranscript reads a recorded conversation: one message in JSON in each line, after a mark
// that names the sender. Other lines are skipped. Messages without `seq` and `request_seq`, as in a
// transcript with stabilised ids, are numbered as they come; a response without a number answers
// the oldest request of its command.
func ReadTranscript(r io.Reader) ([]Entry, error) {
	var out []Entry
	var seq [2]int
	waiting := map[string][]int{}
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := in.ReadString('\n')
		if line == "" && err != nil {
			if err == io.EOF {
				return out, nil
			}
			return nil, err
		}
		brace := strings.IndexByte(line, '{')
		if brace < 0 {
			continue
		}
		from, ok := sender(line[:brace])
		if !ok {
			continue
		}
		raw := []byte(strings.TrimSpace(line[brace:]))
		var m map[string]json.RawMessage
		if err := json.Unmarshal(raw, &m); err != nil {
			return nil, fmt.Errorf("line %d: %v", n, err)
		}
		var e Message
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, fmt.Errorf("line %d: %v", n, err)
		}
		if m["seq"] == nil {
			seq[from]++
			e.Seq = seq[from]
			m["seq"] = number(e.Seq)
			if e.Type == "response" && m["request_seq"] == nil {
				key := fmt.Sprint(1-from, e.Command)
				if w := waiting[key]; len(w) > 0 {
					m["request_seq"], waiting[key] = number(w[0]), w[1:]
				} else {
					m["request_seq"] = number(0)
				}
			}
			if raw, err = json.Marshal(m); err != nil {
				return nil, err
			}
		}
		seq[from] = e.Seq
		if e.Type == "request" {
			key := fmt.Sprint(from, e.Command)
			waiting[key] = append(waiting[key], e.Seq)
		}
		out = append(out, Entry{from, raw})
	}
}

func number(n int) json.RawMessage { return json.RawMessage(fmt.Sprint(n)) }

// sender finds the mark nearest to the message.
func sender(before string) (Side, bool) {
	at, from := -1, Client
	for mark, side := range marks() {
		if i := strings.LastIndex(before, mark); i > at {
			at, from = i, side
		}
	}
	return from, at >= 0
}

// Transcript checks a whole conversation. If it was recorded up to its end, set whole: then
// requests that have no response are reported too.
func Transcript(entries []Entry, o Options, whole bool) []Problem {
	c := New(o)
	var out []Problem
	for _, e := range entries {
		out = append(out, c.Message(e.From, e.Raw)...)
	}
	if whole {
		out = append(out, c.End()...)
	}
	return out
}

// Write records a message in a transcript.
func Write(w io.Writer, from Side, raw []byte) error {
	arrow := "→ "
	if from == Adapter {
		arrow = "← "
	}
	var b bytes.Buffer
	b.WriteString(arrow)
	if err := json.Compact(&b, raw); err != nil {
		b.Truncate(len(arrow))
		b.Write(bytes.ReplaceAll(raw, []byte("\n"), []byte(" ")))
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}
