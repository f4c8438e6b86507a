package valid

import "stackscope/wasm"

func vectorRules() map[wasm.Op]rule { return nil }
