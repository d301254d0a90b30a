package docsite

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// cell is a notebook cell, in version 4 of Jupyter's format. Texts are strings or lists of lines.
type cell struct {
	Kind    string `json:"cell_type"`
	Source  lines  `json:"source"`
	Outputs []struct {
		Text lines `json:"text"` // text of a stream output
		Data struct {
			Text lines `json:"text/plain"`
			PNG  lines `json:"image/png"`
		} `json:"data"`
	} `json:"outputs"`
}

type lines string

// UnmarshalJSON implements json.Unmarshaler.
func (l *lines) UnmarshalJSON(data []byte) error {
	var list []string
	if json.Unmarshal(data, &list) == nil {
		*l = lines(strings.Join(list, ""))
		return nil
	}
	return json.Unmarshal(data, (*string)(l))
}

// notebook returns a notebook as Markdown, with its text, its code, and the code's output. It also returns the pictures
// that the code drew; their names start with prefix.
func notebook(source []byte, prefix string) (markdown []byte, pictures map[string][]byte, err error) {
	var nb struct {
		Cells []cell `json:"cells"`
	}
	if err := json.Unmarshal(source, &nb); err != nil {
		return nil, nil, err
	}
	pictures = map[string][]byte{}
	var b strings.Builder
	for _, c := range nb.Cells {
		if c.Kind == "markdown" {
			fmt.Fprintf(&b, "%s\n\n", c.Source)
			continue
		}
		fmt.Fprintf(&b, "```python\n%s\n```\n\n", strings.TrimRight(string(c.Source), "\n"))
		for _, o := range c.Outputs {
			if o.Data.PNG != "" {
				name := fmt.Sprintf("%s-%d.png", prefix, len(pictures)+1)
				if pictures[name], err = base64.StdEncoding.DecodeString(string(o.Data.PNG)); err != nil {
					return nil, nil, err
				}
				fmt.Fprintf(&b, "![what the code above draws](%s)\n\n", name)
			} else if text := strings.TrimRight(string(o.Text+o.Data.Text), "\n"); text != "" {
				fmt.Fprintf(&b, "```\n%s\n```\n\n", text)
			}
		}
	}
	return []byte(b.String()), pictures, nil
}
