package valid

import "stackscope/wasm"

func arrayRules() map[wasm.Op]rule { return nil }
