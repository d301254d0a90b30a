package runner

import (
	"encoding/binary"
	"math"
	"syscall"

	"golang.org/x/sys/unix"
)

// The init of a run is a fork of a process of this program, without the Go runtime: it cannot allocate, lock or grow its
// stack. So the driver writes down beforehand which system calls it is to make, as a program of operations, and init only
// executes them (rawinit.go). A program is one block of bytes: a header, then operations and what they point at.

// operation is one system call. The layout is that of the block.
type operation struct {
	call      uint32
	registers uint32    // bit i: argument i is the number of a register that holds the value
	args      [6]uint64 // addresses are relative to the block until init has added its place
	store     uint32    // register for the result, or noRegister
	exact     uint32    // not zero: the result must be the third argument, as of a write
	tolerated [3]uint32 // errors that are none; anyError is all
	skip      uint32    // operations to leave out after a tolerated error
	repeat    uint32    // how many times more the call is made, until it fails
	steps     uint32    // what is added each time: bit 0 to the first argument, the others to the second
}

const (
	operationSize = 88
	headerSize    = 16 * 8
	noRegister    = math.MaxUint32
	anyError      = math.MaxUint32
	maxRequest    = 256 << 20
)

// Words of the header.
const (
	headSize         = iota // of the block
	headRelocations         // where the places of addresses are listed, and how many there are
	headRelocationsN        //
	headPrepare             // the operations that build the run's surroundings
	headPrepareN            //
	headCommand             // the operations of the command before its execve, and that; none is only a trial
	headCommandN            //
	headRegisters           // the registers; the first are the open files that come with the block
	headRegistersN          //
	headCgroup              // register with the cgroup to clone into, or noRegister
	headEnter               // first of the registers with tasks files of cgroup v1 to enter, and how many
	headEnterN              //
	headLeave               // and to go back to
	headLeaveN              //
	headWork                // register with the working folder, or noRegister
	headScore               // register with the file by which init goes back to be no victim, or noRegister
)

// operationStep says for messages what operations are for.
type operationStep struct {
	name    string
	command bool // a failure is the command's fault
	execute bool // it is where the error says so
}

// program is a block in the making.
type program struct {
	block       []byte
	head        [16]uint64
	ops         []operation
	steps       []operationStep // of each operation
	addresses   [][2]int        // operations and arguments that hold addresses in the block
	relocations []uint64
	registers   int
	step        operationStep
	prepared    int // operations before those of the command
	texts       map[string]uint64
}

// newProgram begins a program which open files come with.
func newProgram(files int) *program {
	p := &program{}
	p.begin(files)
	return p
}

// begin makes a program empty, so that its memory can be used again.
func (p *program) begin(files int) {
	p.block = append(p.block[:0], make([]byte, headerSize)...)
	p.ops, p.steps = p.ops[:0], p.steps[:0]
	p.addresses, p.relocations = p.addresses[:0], p.relocations[:0]
	p.head, p.step, p.registers, p.prepared = [16]uint64{}, operationStep{}, files, 0
	if p.texts == nil {
		p.texts = map[string]uint64{}
	}
	clear(p.texts)
	for _, i := range []int{headCgroup, headWork, headScore} {
		p.head[i] = noRegister
	}
}

// Arguments of operations.
type (
	address  uint64 // in the block
	register int
)

// register gives a new one. Until something is stored there it holds -1.
func (p *program) register() register {
	p.registers++
	return register(p.registers - 1)
}

// bytes puts bytes into the block, aligned for any type.
func (p *program) bytes(b []byte) address {
	for len(p.block)%8 != 0 {
		p.block = append(p.block, 0)
	}
	at := len(p.block)
	p.block = append(p.block, b...)
	return address(at)
}

// text puts a string with its NUL byte into the block, once.
func (p *program) text(s string) address {
	if at, ok := p.texts[s]; ok {
		return address(at)
	}
	at := len(p.block)
	p.block = append(append(p.block, s...), 0)
	p.texts[s] = uint64(at)
	return address(at)
}

// list puts a NULL-terminated list of strings into the block.
func (p *program) list(texts []string) address {
	places := make([]address, len(texts))
	for i, s := range texts {
		places[i] = p.text(s)
	}
	at := p.bytes(make([]byte, 8*(len(texts)+1)))
	for i, place := range places {
		p.pointer(at+address(8*i), place)
	}
	return at
}

// pointer writes an address into the block.
func (p *program) pointer(at, to address) {
	binary.LittleEndian.PutUint64(p.block[at:], uint64(to))
	p.relocations = append(p.relocations, uint64(at))
}

// describe says what the following operations are for.
func (p *program) describe(name string) { p.step = operationStep{name: name} }

// call adds an operation. Arguments are int, int64, uint64, address, register, or string, which is put into the block.
func (p *program) call(number uintptr, args ...any) *operation {
	op := operation{call: uint32(number), store: noRegister}
	for i, a := range args {
		switch a := a.(type) {
		case int:
			op.args[i] = uint64(a)
		case uint64:
			op.args[i] = a
		case register:
			op.registers |= 1 << i
			op.args[i] = uint64(a)
		case string:
			op.args[i] = uint64(p.text(a))
			p.addresses = append(p.addresses, [2]int{len(p.ops), i})
		case address:
			op.args[i] = uint64(a)
			p.addresses = append(p.addresses, [2]int{len(p.ops), i})
		default:
			panic("an operation has an argument of an unknown type")
		}
	}
	p.ops, p.steps = append(p.ops, op), append(p.steps, p.step)
	return &p.ops[len(p.ops)-1]
}

// open adds an operation whose result is kept in a new register.
func (p *program) open(number uintptr, args ...any) register {
	r := p.register()
	p.call(number, args...).store = uint32(r)
	return r
}

// tolerate lets the operation fail with one of at most three errors, or with any when none is named.
func (o *operation) tolerate(errs ...syscall.Errno) *operation {
	if len(errs) == 0 {
		o.tolerated[0] = anyError
	}
	for i, e := range errs {
		o.tolerated[i] = uint32(e)
	}
	return o
}

// repeated makes the call again, n times in all, with an argument, the first or the second, that counts up. Errors that
// are tolerated one by one end it.
func (o *operation) repeated(n, argument int) *operation {
	o.repeat, o.steps = uint32(n-1), uint32(argument+1)
	return o
}

// leaveOutFrom makes a tolerated error of operation i skip all that were added after it.
func (p *program) leaveOutFrom(i int) { p.ops[i].skip = uint32(len(p.ops) - 1 - i) }

// jump adds an operation that always skips what comes between it and a later leaveOutFrom of it, and gives its place.
func (p *program) jump() int {
	p.call(unix.SYS_CLOSE, -1).tolerate(unix.EBADF)
	return len(p.ops) - 1
}

// beginCommand ends what init does itself; the following operations are those of the command.
func (p *program) beginCommand() { p.prepared = len(p.ops) }

// finish gives the block.
func (p *program) finish() []byte {
	at := p.bytes(make([]byte, len(p.ops)*operationSize))
	for i := range p.ops {
		place := p.block[int(at)+i*operationSize:]
		op := &p.ops[i]
		binary.LittleEndian.PutUint32(place, op.call)
		binary.LittleEndian.PutUint32(place[4:], op.registers)
		for k, a := range op.args {
			binary.LittleEndian.PutUint64(place[8+8*k:], a)
		}
		for k, n := range []uint32{op.store, op.exact, op.tolerated[0], op.tolerated[1], op.tolerated[2], op.skip, op.repeat, op.steps} {
			binary.LittleEndian.PutUint32(place[56+4*k:], n)
		}
	}
	for _, a := range p.addresses {
		p.relocations = append(p.relocations, uint64(at)+uint64(a[0]*operationSize+8+8*a[1]))
	}
	p.head[headPrepare], p.head[headPrepareN] = uint64(at), uint64(len(p.ops))
	if p.prepared > 0 {
		p.head[headPrepareN] = uint64(p.prepared)
		p.head[headCommand] = uint64(at) + uint64(p.prepared*operationSize)
		p.head[headCommandN] = uint64(len(p.ops) - p.prepared)
	}
	registers := p.bytes(nil)
	for range p.registers {
		p.block = binary.LittleEndian.AppendUint64(p.block, math.MaxUint64)
	}
	p.head[headRegisters], p.head[headRegistersN] = uint64(registers), uint64(p.registers)
	p.head[headRelocations], p.head[headRelocationsN] = uint64(p.bytes(nil)), uint64(len(p.relocations))
	for _, r := range p.relocations {
		p.block = binary.LittleEndian.AppendUint64(p.block, r)
	}
	p.head[headSize] = uint64(len(p.block))
	for i, n := range p.head {
		binary.LittleEndian.PutUint64(p.block[8*i:], n)
	}
	return p.block
}

// failure makes an error of the operation that failed.
func (p *program) failure(index int, errno syscall.Errno) error {
	if index < 0 || index >= len(p.steps) {
		return errno
	}
	s := p.steps[index]
	return &stepError{step: s.name, err: errno, start: s.command || s.execute && startErrno(errno)}
}

// stepError is an error of init with what it tried.
type stepError struct {
	step  string
	err   error
	start bool // the command is at fault
}

func (e *stepError) Error() string { return e.step + ": " + e.err.Error() }

func (e *stepError) Unwrap() error { return e.err }
