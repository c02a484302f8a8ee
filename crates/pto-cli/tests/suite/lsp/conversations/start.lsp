The server states what it can do, and counts columns as the editor asks.

> initialize {"capabilities": {"general": {"positionEncodings": ["utf-8", "utf-16"]}}}
< {
<   "capabilities": {
<     "codeActionProvider": {
<       "codeActionKinds": [
<         "quickfix",
<         "refactor.rewrite"
<       ]
<     },
<     "codeLensProvider": {},
<     "completionProvider": {
<       "resolveProvider": true,
<       "triggerCharacters": [
<         "%",
<         "!",
<         "@",
<         "#",
<         "^",
<         ".",
<         "<",
<         "("
<       ]
<     },
<     "definitionProvider": true,
<     "documentFormattingProvider": true,
<     "documentHighlightProvider": true,
<     "documentRangeFormattingProvider": true,
<     "documentSymbolProvider": true,
<     "executeCommandProvider": {
<       "commands": [
<         "pto.run",
<         "pto.race",
<         "pto.perf",
<         "pto.plan",
<         "pto.explain",
<         "pto.target"
<       ]
<     },
<     "foldingRangeProvider": true,
<     "hoverProvider": true,
<     "inlayHintProvider": true,
<     "positionEncoding": "utf-8",
<     "referencesProvider": true,
<     "renameProvider": {
<       "prepareProvider": true
<     },
<     "semanticTokensProvider": {
<       "full": true,
<       "legend": {
<         "tokenModifiers": [
<           "definition",
<           "deprecated"
<         ],
<         "tokenTypes": [
<           "function",
<           "keyword",
<           "variable",
<           "parameter",
<           "method",
<           "type",
<           "property",
<           "enumMember",
<           "event",
<           "number",
<           "string",
<           "comment"
<         ]
<       },
<       "range": true
<     },
<     "signatureHelpProvider": {
<       "retriggerCharacters": [
<         ")"
<       ],
<       "triggerCharacters": [
<         "(",
<         ",",
<         "["
<       ]
<     },
<     "textDocumentSync": {
<       "change": 2,
<       "openClose": true,
<       "save": {
<         "includeText": false
<       }
<     },
<     "workspace": {
<       "workspaceFolders": {
<         "supported": true
<       }
<     },
<     "workspaceSymbolProvider": true
<   },
<   "serverInfo": {
<     "name": "pto",
<     "version": "0.1.0"
<   }
< }
> write a.pto
| func.func @f() {
|   // é
|   pto.tmux
|   return
| }
> open a.pto
> wait textDocument/publishDiagnostics
< {
<   "diagnostics": [
<     {
<       "code": "PTO-E0004",
<       "message": "there is no operation `pto.tmux`\n`pto isa` lists every instruction\nhelp: did you mean `tmax`, `tmul`, `tmaxs`?",
<       "range": {
<         "end": {
<           "character": 10,
<           "line": 2
<         },
<         "start": {
<           "character": 2,
<           "line": 2
<         }
<       },
<       "severity": 1,
<       "source": "pto"
<     }
<   ],
<   "uri": "file://$DIR/a.pto",
<   "version": 1
< }
