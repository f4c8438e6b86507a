// Package step decides where a step ends.
//
// A [Plan] is a step that is under way. It is keyed by the identity of a stack and the depth of a
// frame: recursion, and other stacks that run the same function, do not disturb it. [NewPlan]
// begins one at a [Point]. The engine then passes the plan every point that [Plan.Watch] asks for,
// until [Plan.At] reports that the step ends there. The package runs nothing and can be tested with
// lists of points.
package step
