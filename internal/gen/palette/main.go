// Command palette rewrites PNG files with at most 256 colours, which makes screenshots small.
//
//	go run ./internal/gen/palette -to docs/images FILE.png…
package main

import (
	"cmp"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	to := flag.String("to", ".", "write the files to `FOLDER`")
	flag.Parse()
	for _, name := range flag.Args() {
		if err := reduce(name, filepath.Join(*to, filepath.Base(name))); err != nil {
			fmt.Fprintf(os.Stderr, "palette: %s: %v\n", name, err)
			os.Exit(1)
		}
	}
}

// reduce copies a picture with the 256 colours that occur most often; the others become the nearest
// of those.
func reduce(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	src, err := png.Decode(f)
	if err != nil {
		return err
	}
	b := src.Bounds()
	count := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(src.At(x, y)).(color.RGBA) }
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	colours := make([]color.RGBA, 0, len(count))
	for c := range count {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(key(a), key(b)))
	})
	var p color.Palette
	for _, c := range colours[:min(256, len(colours))] {
		p = append(p, c)
	}
	out, nearest := image.NewPaletted(b, p), map[color.RGBA]uint8{}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := at(x, y)
			i, ok := nearest[c]
			if !ok {
				i = uint8(p.Index(c))
				nearest[c] = i
			}
			out.SetColorIndex(x, y, i)
		}
	}
	w, err := os.Create(to)
	if err != nil {
		return err
	}
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(w, out)
	if e := w.Close(); err == nil {
		err = e
	}
	return err
}

func key(c color.RGBA) uint32 { return uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B) }
