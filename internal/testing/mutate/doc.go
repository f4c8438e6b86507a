// Package mutate makes texts for fuzz tests: valid and nearly valid ones, assembled from seeds,
// with mistakes of every kind. A Pool holds the seeds; Shapes are pathological texts. The same
// source of randomness makes the same text.
package mutate
