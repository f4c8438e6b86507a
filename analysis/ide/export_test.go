package ide

// OperandNodes is operandNodes, for tests.
var OperandNodes = operandNodes
