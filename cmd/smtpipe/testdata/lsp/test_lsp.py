"""What an editor sees of "smtpipe lsp", by the client of pytest-lsp."""
import os
import pathlib
import shutil

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

EXAMPLE = pathlib.Path(os.environ["EXAMPLE"])


@pytest_lsp.fixture(config=ClientServerConfig(server_command=["smtpipe", "lsp", "--stdio"]))
async def client(lsp_client: LanguageClient):
    await lsp_client.initialize_session(types.InitializeParams(
        capabilities=types.ClientCapabilities(), root_uri=EXAMPLE.as_uri()))
    yield
    await lsp_client.shutdown_session()


SCORE = 'stage "score" "single_query" {\n  verdicts = stage.verdicts.single_query.'


class Document:
    """A file that is open in the editor."""

    def __init__(self, client, name):
        self.client, self.path, self.version = client, EXAMPLE / name, 0
        self.uri, self.text = self.path.as_uri(), self.path.read_text()
        client.text_document_did_open(types.DidOpenTextDocumentParams(
            types.TextDocumentItem(uri=self.uri, language_id="hcl", version=0, text=self.text)))

    async def type(self, old, new):
        """Replaces a part of the text and waits for the diagnostics of it."""
        assert self.text.count(old) == 1
        self.text, self.version = self.text.replace(old, new), self.version + 1
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version),
            [types.TextDocumentContentChangeWholeDocument(text=self.text)]))
        await self.client.wait_for_notification("textDocument/publishDiagnostics")
        return list(self.client.diagnostics.get(self.uri, []))

    def at(self, text, offset=0):
        """The place of a text."""
        start = self.text.index(text) + offset
        before = self.text[:start]
        return types.Position(line=before.count("\n"), character=len(before) - before.rfind("\n") - 1)

    def where(self, text, offset=0):
        return dict(text_document=types.TextDocumentIdentifier(uri=self.uri), position=self.at(text, offset))


async def test_a_sound_pipeline_has_no_diagnostics(client):
    doc = Document(client, "competition.hcl")
    await client.wait_for_notification("textDocument/publishDiagnostics")
    assert list(client.diagnostics[doc.uri]) == []


async def test_a_rule_set_is_checked_and_completed_as_it_is_typed(client):
    doc = Document(client, "rules/quick.rules.hcl")
    while doc.uri not in client.diagnostics:  # the pipeline beside it is checked, too
        await client.wait_for_notification("textDocument/publishDiagnostics")
    assert list(client.diagnostics[doc.uri]) == []
    found = await doc.type("r.wall_s <= T", "r.walls <= T")
    while not found:
        await client.wait_for_notification("textDocument/publishDiagnostics")
        found = list(client.diagnostics[doc.uri])
    assert [d.range.start.line for d in found] == [doc.at("r.walls").line]
    assert "wall_s" in found[0].message

    def names(items):
        return {i.label for i in items.items}

    columns = await client.text_document_completion_async(types.CompletionParams(**doc.where("r.walls", 2)))
    assert {"wall_s", "cpu_s", "answer"} <= names(columns) and "status" not in names(columns)
    words = await client.text_document_completion_async(types.CompletionParams(**doc.where("points = wrong", 9)))
    assert {"r", "b", "s", "T", "reading", "practice", "min"} <= names(words)
    attributes = await client.text_document_completion_async(types.CompletionParams(**doc.where("  order", 2)))
    assert {"where", "limit", "recognise"} <= names(attributes) and "order" not in names(attributes)
    hover = await client.text_document_hover_async(types.HoverParams(**doc.where("b.status", 3)))
    assert "known status" in hover.contents.value
    found = await doc.type("r.walls <= T", "r.wall_s <= T")
    while found:
        await client.wait_for_notification("textDocument/publishDiagnostics")
        found = list(client.diagnostics[doc.uri])


async def test_a_typing_error_is_shown_where_it_is_and_goes_away(client):
    doc = Document(client, "competition.hcl")
    found = await doc.type(SCORE + "verdicts\n", SCORE + "verdict\n")
    assert any("verdict" in d.message and d.severity == types.DiagnosticSeverity.Error for d in found)
    assert doc.at("stage.verdicts.single_query.verdict\n").line in [d.range.start.line for d in found]
    assert await doc.type("single_query.verdict\n", "single_query.verdicts\n") == []


async def test_completion(client):
    doc = Document(client, "competition.hcl")
    await doc.type('stage "report" "site" {', 'stage "filter" "more" {\n  benchmarks = stage.\n}\nstage "report" "site" {')
    found = await client.text_document_completion_async(types.CompletionParams(
        **doc.where("benchmarks = stage.\n", len("benchmarks = stage."))))
    labels = [i.label for i in found.items]
    assert "cap" in labels and "score" in labels and "heat" not in labels  # kinds that the pipeline has


async def test_hover_and_definition(client):
    doc = Document(client, "competition.hcl")
    await client.wait_for_notification("textDocument/publishDiagnostics")
    said = await client.text_document_hover_async(types.HoverParams(**doc.where('stage "cap"', 8)))
    assert "Cap" in said.contents.value or "cap" in said.contents.value
    place = doc.where("stage.score.single_query.scores]", len("stage.score.sing"))
    found = await client.text_document_definition_async(types.DefinitionParams(**place))
    assert [f.range.start.line for f in found] == [doc.at('stage "score" "single_query"').line]


async def test_references_symbols_and_rename(client):
    doc = Document(client, "competition.hcl")
    place = doc.where("stage.score.single_query.scores]", len("stage.score.sing"))
    found = await client.text_document_references_async(types.ReferenceParams(
        **place, context=types.ReferenceContext(include_declaration=True)))
    lines = doc.text.split("\n")
    assert all("single_query" in lines[f.range.start.line] for f in found) and len(found) > 1
    ready = await client.text_document_prepare_rename_async(types.PrepareRenameParams(**place))
    assert ready.end.character - ready.start.character == len("single_query")
    edit = await client.text_document_rename_async(types.RenameParams(**place, new_name="first"))
    assert [len(e) for e in edit.changes.values()] == [len(found)]
    assert {e.new_text for e in edit.changes[doc.uri]} == {"first"}
    with pytest.raises(Exception, match="language"):
        await doc.type('stage "report" "site" {', 'function "more" {\n  params = [x]\n  result = x\n}\nstage "report" "site" {')
        await client.text_document_rename_async(types.RenameParams(**doc.where('"more"', 2), new_name="length"))
    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(
        types.TextDocumentIdentifier(uri=doc.uri)))
    assert {"competition", "stage.score.single_query", "function.more"} <= {s.name for s in symbols}
    symbols = await client.workspace_symbol_async(types.WorkspaceSymbolParams(query="score.single"))
    assert "stage.score.single_query" in {s.name for s in symbols}
    await doc.type('function "more" {\n  params = [x]\n  result = x\n}\n', "")


async def test_formatting(client):
    doc = Document(client, "competition.hcl")
    await doc.type('stage "report" "site" {', 'stage "report" "site" {\n      options    =    []')
    edits = await client.text_document_formatting_async(types.DocumentFormattingParams(
        text_document=types.TextDocumentIdentifier(uri=doc.uri),
        options=types.FormattingOptions(tab_size=2, insert_spaces=True)))
    assert len(edits) == 1 and "\n  options      = []\n" in edits[0].new_text


async def test_half_typed_text_ends_nothing(client):
    doc = Document(client, "competition.hcl")
    for old, new in (("competition {", "competition {{{ \"${"), ("competition {{{ \"${", "competition {")):
        found = await doc.type(old, new)
        await client.text_document_hover_async(types.HoverParams(**doc.where(new)))
    assert found == []


async def test_an_error_of_a_rule_set_is_shown_in_its_file(client):
    rules = EXAMPLE / "rules" / "my.hcl"
    rules.parent.mkdir(exist_ok=True)
    rules.write_text('rule_set {\n  year  = 2026\n  title = "C"\n}\n\nnothing "x" {\n}\n')
    doc = Document(client, "competition.hcl")
    await doc.type(SCORE + "verdicts\n  rules    = competition.rules.scoring", SCORE + 'verdicts\n  rules    = file("rules/my.hcl")')
    while rules.as_uri() not in client.diagnostics:  # the competition's own come first
        await client.wait_for_notification("textDocument/publishDiagnostics")
    found = list(client.diagnostics[rules.as_uri()])
    assert [d.range.start.line for d in found if "nothing" in d.message] == [5]
    assert not any("nothing" in d.message for d in client.diagnostics[doc.uri])
