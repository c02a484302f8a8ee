(braces "}" @end) @indent
(body "}" @end) @indent
(parens ")" @end) @indent
