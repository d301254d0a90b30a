package validate

import (
	"slices"
	"testing"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/exec/image/imagetest"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

// TestAskerInImage checks that a second opinion sees its image instead of the machine's programs, whether its program
// is mounted or part of the image, and that it is rejected where runs see the machine.
func TestAskerInImage(t *testing.T) {
	world := t.TempDir()
	imagetest.World(t, world, imagetest.Musl, "dash")
	img, err := fanout.OpenImage(imagetest.Save(t, nil, world))
	if err != nil {
		t.Fatal(err)
	}
	store, err := cache.Open(t.TempDir(), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := img.Unpack(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	root := runner.Mount{Source: img.Path(), Target: runner.ImageRoot}
	for _, a := range []Asker{
		{Program: "dash", InImage: true, Image: img},
		{Program: "/usr/bin/true", Image: img},
		{Program: "bin/solver", Folder: "/tree", Image: img},
	} {
		cmd, err := a.command(runner.Full)
		if err != nil || cmd.HostSystem || !slices.Contains(cmd.Mounts, root) {
			t.Errorf("%s: %v, %+v", a.Program, err, cmd.Mounts)
		}
		if _, err := a.command(runner.CgroupOnly); err == nil {
			t.Errorf("%s: an image where runs see the machine", a.Program)
		}
	}
	with, without := second{asker: Asker{Program: "p", Image: img}}, second{asker: Asker{Program: "p"}}
	key := func(s second) cache.Key {
		k := cache.NewKeyWriter("test")
		s.writeKey(k)
		return k.Key()
	}
	if key(with) == key(without) {
		t.Error("the image is not in the key")
	}
}
