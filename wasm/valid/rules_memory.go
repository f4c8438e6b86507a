package valid

import "stackscope/wasm"

func memoryRules() map[wasm.Op]rule { return nil }
