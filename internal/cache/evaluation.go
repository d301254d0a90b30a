package cache

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Evaluation describes the last execution of a pipeline's measured instance: its items and their inputs. It is stored
// before the first item is measured: a plan must be able to tell which finished items it would no longer use.
type Evaluation struct {
	Address    string            `json:"address"`
	Namespace  string            `json:"namespace"` // namespace of the items
	Key        string            `json:"key"`       // key of the instance
	Components []Component       `json:"components"`
	Upstream   map[string]string `json:"upstream"` // address → key of every instance on which the items depend
	Count      int               `json:"items"`
	Items      []Key             `json:"-"`
}

// PutEvaluation stores an instance's evaluation for the pipeline at path, replacing the previous one.
func (s *Store) PutEvaluation(path string, ev *Evaluation) error {
	ev.Count = len(ev.Items)
	head, err := json.Marshal(ev)
	if err != nil {
		return err
	}
	data := make([]byte, 0, len(head)+1+len(ev.Items)*len(Key{})+4)
	data = append(append(data, head...), '\n')
	for i := range ev.Items {
		data = append(data, ev.Items[i][:]...)
	}
	data = binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, castagnoli))
	return writeFileBelow(s.evaluationPath(path, ev.Address), data)
}

// DropEvaluation removes an instance's evaluation.
func (s *Store) DropEvaluation(path, addr string) error {
	if err := os.Remove(s.evaluationPath(path, addr)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Evaluations returns the evaluations of the pipeline at path by address, without their items. Unreadable evaluations
// count as absent.
func (s *Store) Evaluations(path string) map[string]*Evaluation {
	all := map[string]*Evaluation{}
	for _, ev := range evaluationHeads(filepath.Join(filepath.Dir(s.evaluationPath(path, "")), "*")) {
		all[ev.Address] = ev
	}
	return all
}

func evaluationHeads(pattern string) (all []*Evaluation) {
	files, _ := filepath.Glob(pattern) // the pattern is well-formed
	for _, name := range files {
		if ev, err := readEvaluation(name, false); err == nil {
			all = append(all, ev)
		}
	}
	return all
}

// Evaluation returns one instance's evaluation with its items, or nil if it is missing or damaged.
func (s *Store) Evaluation(path, addr string) *Evaluation {
	ev, err := readEvaluation(s.evaluationPath(path, addr), true)
	if err != nil {
		return nil
	}
	return ev
}

var errEvaluation = errors.New("the file is damaged")

// readEvaluation reads a file that consists of a line of JSON, the keys of the items, and a checksum of both.
func readEvaluation(name string, whole bool) (*Evaluation, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	head, err := r.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	ev := &Evaluation{}
	if err := json.Unmarshal(head, ev); err != nil || !whole {
		return ev, err
	}
	info, err := f.Stat()
	if err != nil || info.Size() != int64(len(head)+ev.Count*len(Key{})+4) {
		return nil, cmp.Or(err, errEvaluation)
	}
	body := make([]byte, ev.Count*len(Key{})+4)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, err
	}
	keys, sum := body[:len(body)-4], binary.LittleEndian.Uint32(body[len(body)-4:])
	if crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, keys) != sum {
		return nil, errEvaluation
	}
	ev.Items = make([]Key, ev.Count)
	for i := range ev.Items {
		copy(ev.Items[i][:], keys[i*len(Key{}):])
	}
	return ev, nil
}

// evaluationKeys returns the keys of the records that determine the evaluations of all pipelines. A plan explains how
// it differs from these records.
func (s *Store) evaluationKeys() []Key {
	var keys []Key
	for _, ev := range evaluationHeads(filepath.Join(s.dir, "evaluations", "*", "*")) {
		for _, text := range ev.Upstream {
			if key, err := ParseKey(text); err == nil {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

func (s *Store) evaluationPath(pipeline, addr string) string {
	return filepath.Join(s.dir, "evaluations", DigestOf([]byte(pipeline)).String()[:32],
		DigestOf([]byte(addr)).String()[:32])
}
