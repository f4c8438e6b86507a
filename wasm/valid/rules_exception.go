package valid

import "stackscope/wasm"

func exceptionRules() map[wasm.Op]rule { return nil }
