// Package cputime measures the processor time that the process has used. Benchmarks report it
// beside wall time, because other processes disturb it less.
package cputime
