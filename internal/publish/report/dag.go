package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Sizes in the pipeline's drawing, in pixels.
const (
	boxWidth, boxHeight = 210, 46
	gapX, gapY          = 28, 44
	margin              = 16
)

// dagNode is a stage, or a bend in an edge that passes through a layer. layer is the length of the longest path to the
// node, and x is its left edge.
type dagNode struct {
	Node
	bend  bool
	layer int
	x     int
	from  []int
	want  float64 // desired position of the node's middle
}

func (n *dagNode) width() int {
	if n.bend {
		return 8
	}
	return boxWidth
}

func (n *dagNode) middle() int { return n.x + n.width()/2 }
func (n *dagNode) top() int    { return margin + n.layer*(boxHeight+gapY) }

// darkGraph contains the drawing's colours on a dark page, which match the site's colours.
const darkGraph = `<style>@media (prefers-color-scheme: dark) { .back { fill: #0d1117 } .head, .note { fill: #9aa4af } ` +
	`.edge { stroke: #9aa4af } .box { fill: #161b22; stroke: #7cb8ff } .name { fill: #e6edf3 } }</style>`

// WriteGraph draws stages and their dependencies as SVG, without external programs or fonts. Equal input produces equal
// bytes. It omits edges to unknown stages and edges that close a cycle.
func WriteGraph(w io.Writer, nodes []Node, edges []Edge) error {
	placed := layers(nodes, edges)
	var out strings.Builder
	width, height := extent(placed)
	fmt.Fprintf(&out,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" font-family="system-ui, Roboto, Noto Sans, Liberation Sans, sans-serif">`,
		width, height, width, height)
	out.WriteString("\n<title>Stages of the pipeline</title>\n")
	out.WriteString(
		`<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="head" d="M0 0L8 4L0 8z" fill="#57606a"/></marker></defs>` + "\n" + darkGraph + "\n")
	fmt.Fprintf(&out, `<rect class="back" width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	for i := range placed {
		for _, f := range placed[i].from {
			writeEdge(&out, &placed[f], &placed[i])
		}
	}
	for i := range placed {
		writeBox(&out, &placed[i])
	}
	out.WriteString("</svg>\n")
	_, err := io.WriteString(w, out.String())
	return err
}

func extent(nodes []dagNode) (width, height int) {
	width, height = boxWidth+2*margin, boxHeight+2*margin
	for i := range nodes {
		n := &nodes[i]
		width, height = max(width, n.x+n.width()+margin), max(height, n.top()+boxHeight+margin)
	}
	return width, height
}

// writeEdge draws one segment of an edge. Only the segment that ends at a stage has an arrowhead.
func writeEdge(out *strings.Builder, a, b *dagNode) {
	ax, ay, bx, by := a.middle(), a.top()+boxHeight, b.middle(), b.top()-1
	head := ` marker-end="url(#a)"`
	if b.bend {
		head = ""
		by++
	}
	if a.bend {
		fmt.Fprintf(out, `<path class="edge" d="M%d %dV%d" stroke="#57606a" stroke-width="1.3"/>`, ax, a.top(), ay)
	}
	half := (by - ay) / 2
	fmt.Fprintf(out, `<path class="edge" d="M%d %dC%d %d %d %d %d %d" fill="none" stroke="#57606a" stroke-width="1.3"%s/>`+"\n", ax,
		ay, ax, ay+half, bx, by-half, bx, by, head)
}

func writeBox(out *strings.Builder, n *dagNode) {
	if n.bend {
		return
	}
	x, y := n.x, n.top()
	full := clean(n.Address)
	fmt.Fprintf(out,
		`<g><title>%s</title><rect class="box" x="%d" y="%d" width="%d" height="%d" rx="6" fill="#f6f8fa" stroke="#0b4f8a"/>`,
		attr(full), x, y, boxWidth, boxHeight)
	fmt.Fprintf(out, `<text class="name" x="%d" y="%d" font-size="13" font-weight="bold" fill="#1b1f24">%s</text>`, x+10, y+19,
		attr(shorten(strings.TrimPrefix(full, "stage."), 27)))
	fmt.Fprintf(out, `<text class="note" x="%d" y="%d" font-size="11" fill="#57606a">%s</text></g>`+"\n", x+10, y+36,
		attr(shorten(clean(first(n.Note, n.Kind)), 34)))
}

// shorten truncates a text to n characters.
func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// layers places every stage below all stages that it uses, and within a layer as close to them as possible.
func layers(nodes []Node, edges []Edge) []dagNode {
	at := map[string]int{}
	out := make([]dagNode, len(nodes))
	for i, n := range nodes {
		out[i].Node = n
		at[n.Address] = i
	}
	for _, e := range edges {
		f, okF := at[e.From]
		t, okT := at[e.To]
		if okF && okT && f != t && !slices.Contains(out[t].from, f) {
			out[t].from = append(out[t].from, f)
		}
	}
	state := make([]uint8, len(out)) // 1 while a node is being placed, 2 afterwards
	for i := range out {
		deepen(out, state, i)
	}
	out = bends(out)
	arrangeLayers(out)
	return out
}

// deepen computes a stage's layer from the layers of the stages that it uses. It drops an edge that closes a cycle.
func deepen(nodes []dagNode, state []uint8, i int) {
	if state[i] != 0 {
		return
	}
	state[i] = 1
	kept := nodes[i].from[:0]
	for _, f := range nodes[i].from {
		if state[f] == 1 {
			continue
		}
		deepen(nodes, state, f)
		kept = append(kept, f)
		nodes[i].layer = max(nodes[i].layer, nodes[f].layer+1)
	}
	nodes[i].from = kept
	state[i] = 2
}

// bends routes edges that pass through layers around the stages there. Edges from the same stage share a path.
func bends(nodes []dagNode) []dagNode {
	made := map[[2]int]int{} // index of the bend, by stage and layer
	for i := range len(nodes) {
		for k, f := range nodes[i].from {
			last := f
			for layer := nodes[f].layer + 1; layer < nodes[i].layer; layer++ {
				b, ok := made[[2]int{f, layer}]
				if !ok {
					b = len(nodes)
					nodes = append(nodes, dagNode{bend: true, layer: layer, from: []int{last}})
					made[[2]int{f, layer}] = b
				}
				last = b
			}
			nodes[i].from[k] = last
		}
	}
	return nodes
}

func arrangeLayers(nodes []dagNode) {
	var rows [][]int
	for i := range nodes {
		for len(rows) <= nodes[i].layer {
			rows = append(rows, nil)
		}
		rows[nodes[i].layer] = append(rows[nodes[i].layer], i)
	}
	for _, row := range rows {
		for _, i := range row {
			n := &nodes[i]
			for _, f := range n.from {
				n.want += float64(nodes[f].middle()) / float64(len(n.from))
			}
		}
		slices.SortStableFunc(row, func(a, b int) int { return cmp.Compare(nodes[a].want, nodes[b].want) })
		free := margin
		for _, i := range row {
			n := &nodes[i]
			n.x = max(free, int(n.want)-n.width()/2)
			free = n.x + n.width() + gapX
		}
	}
}
