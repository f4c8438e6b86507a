package config

import (
	"strings"
	"testing"
)

// TestEverySettingIsDescribed checks that each setting has a description, and that the table
// describes nothing else.
func TestEverySettingIsDescribed(t *testing.T) {
	used := map[string]bool{}
	var look func([]Setting)
	look = func(all []Setting) {
		for _, s := range all {
			used[s.Request+" "+s.Key] = true
			if !strings.HasSuffix(strings.TrimSuffix(s.Description, "\""), ".") {
				t.Errorf("%s: %s: description %q is not a sentence", s.Request, s.Key, s.Description)
			}
			look(s.Sub)
		}
	}
	look(Settings())
	for key := range launchTexts {
		if !used["launch "+key] {
			t.Errorf("%s is described, but it is no setting of launch", key)
		}
	}
	for key := range attachTexts {
		if !used["attach "+key] {
			t.Errorf("%s is described, but it is no setting of attach", key)
		}
	}
}
