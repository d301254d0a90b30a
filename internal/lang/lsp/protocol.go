package lsp

import "encoding/json"

// The part of the Language Server Protocol 3.17 that the server supports, under the protocol's names.

type docURI string

type position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"` // in UTF-16 code units
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   docURI    `json:"uri"`
	Range textRange `json:"range"`
}

type textEdit struct {
	Range   textRange `json:"range"`
	NewText string    `json:"newText"`
}

type workspaceEdit struct {
	Changes map[docURI][]textEdit `json:"changes"`
}

type textDocument struct {
	URI  docURI `json:"uri"`
	Text string `json:"text,omitempty"` // text; set when a document is opened
}

// documentParams are the parameters of a message about a document.
type documentParams struct {
	TextDocument   textDocument `json:"textDocument"`
	ContentChanges []struct {
		Text string `json:"text"`
	} `json:"contentChanges,omitempty"`
}

// placeParams are the parameters of a message about a position.
type placeParams struct {
	TextDocument textDocument `json:"textDocument"`
	Position     position     `json:"position"`
	NewName      string       `json:"newName,omitempty"` // new name, used by rename
	Context      struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"` // used by references
}

type watchedParams struct {
	Changes []textDocument `json:"changes"`
}

type symbolParams struct {
	Query string `json:"query"`
}

type initializeParams struct {
	RootURI          docURI         `json:"rootUri,omitempty"` // folder, sent by older clients
	WorkspaceFolders []textDocument `json:"workspaceFolders,omitempty"`
}

type initializeResult struct {
	Capabilities struct {
		TextDocumentSync struct {
			OpenClose bool     `json:"openClose"`
			Change    int      `json:"change"`
			Save      struct{} `json:"save"`
		} `json:"textDocumentSync"`
		CompletionProvider struct {
			TriggerCharacters []string `json:"triggerCharacters"`
		} `json:"completionProvider"`
		HoverProvider              bool `json:"hoverProvider"`
		DefinitionProvider         bool `json:"definitionProvider"`
		ReferencesProvider         bool `json:"referencesProvider"`
		DocumentSymbolProvider     bool `json:"documentSymbolProvider"`
		WorkspaceSymbolProvider    bool `json:"workspaceSymbolProvider"`
		DocumentFormattingProvider bool `json:"documentFormattingProvider"`
		RenameProvider             struct {
			PrepareProvider bool `json:"prepareProvider"`
		} `json:"renameProvider"`
	} `json:"capabilities"`
	ServerInfo struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"serverInfo"`
}

const fullText = 1 // each change contains the whole text

type diagnostic struct {
	Range    textRange `json:"range"`
	Severity int       `json:"severity"`
	Source   string    `json:"source"`
	Message  string    `json:"message"`
}

const (
	severityError   = 1
	severityWarning = 2
)

type publishedDiagnostics struct {
	URI         docURI       `json:"uri"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

func markdown(text string) *markup { return &markup{"markdown", text} }

type hoverText struct {
	Contents *markup   `json:"contents"`
	Range    textRange `json:"range"`
}

type completionItem struct {
	Label         string     `json:"label"`
	Kind          memberKind `json:"kind,omitempty"`
	Detail        string     `json:"detail,omitempty"`
	Documentation *markup    `json:"documentation,omitempty"`
	FilterText    string     `json:"filterText,omitempty"`
	TextEdit      textEdit   `json:"textEdit"`
}

type completionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []completionItem `json:"items"`
}

// memberKind is the kind of a completion item.
type memberKind int

const (
	functionMember memberKind = 3
	fieldMember    memberKind = 5
	variableMember memberKind = 6
	classMember    memberKind = 7
	moduleMember   memberKind = 9
	propertyMember memberKind = 10
	keywordMember  memberKind = 14
	enumMember     memberKind = 20
)

// documentSymbol is a declaration in a document; symbolInformation is one in the workspace.
type documentSymbol struct {
	Name           string    `json:"name"`
	Detail         string    `json:"detail,omitempty"`
	Kind           int       `json:"kind"`
	Range          textRange `json:"range"`
	SelectionRange textRange `json:"selectionRange"`
}

type symbolInformation struct {
	Name     string   `json:"name"`
	Kind     int      `json:"kind"`
	Location location `json:"location"`
}

// symbolKinds maps the first word of a reference to its symbol kind.
var symbolKinds = map[string]int{"module": 2, "stage": 5, "function": 12, "var": 13, "local": 14, "solver": 19,
	"executor": 11, "output": 20, "check": 17}

// otherSymbol is the kind of all other symbols: object.
const otherSymbol = 19

// message is a JSON-RPC 2.0 message: a request, a notification (without an ID), or a response.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

// failure is an error with its JSON-RPC or LSP code.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

const (
	invalidRequest = -32600
	methodNotFound = -32601
	invalidParams  = -32602
	requestFailed  = -32803
)

func (f *failure) Error() string { return f.Message }
