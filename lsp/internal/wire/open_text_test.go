package wire

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// FuzzOpenParams: the parameters of didOpen are what package protocol reads.
func FuzzOpenParams(f *testing.F) {
	for _, text := range []string{"", "(module)\n", "\"\\\\\"", "é😀\t\r\n", `\`, `"text":"x"`, strings.Repeat("\\\"", 9)} {
		b, err := json.Marshal(
			map[string]any{
				"textDocument": map[string]any{"uri": "file:///a.wat", "languageId": "wat", "version": 3, "text": text},
			},
		)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Add(
		`{"textDocument": {"text" : "\ud83d\ude00\ud83dx\ude00\u00e9\/", "version":1, "languageId":"text", "uri":"text"}}`,
	)
	f.Add(`{"text":"no","other":{"text":"no"},"textDocument":{"uri":"u","languageId":"w","version":1,"text":"yes"}}`)
	f.Add(`{"textDocument":{"uri":"u","languageId":"w","version":1,"text":"a\ud83d\u0041"}}`)
	f.Add(`{"textDocument":[{"text":"no"}]}`)
	f.Add(`{"textDocument":{"text":"\q"}}`)
	f.Fuzz(func(t *testing.T, js string) {
		if !json.Valid([]byte(js)) || !strings.Contains(js, "textDocument") {
			return
		}
		want := &protocol.DidOpenTextDocumentParams{}
		wantErr := protocol.Unmarshal([]byte(js), want)
		got, err := OpenParams([]byte(js))
		if (err != nil) != (wantErr != nil) {
			t.Fatalf("%s: error %v, want %v", js, err, wantErr)
		}
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%s:\n got %+v\nwant %+v", js, got, want)
		}
	})
}
