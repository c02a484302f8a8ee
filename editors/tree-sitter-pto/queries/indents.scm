[(braces) (body) (parens)] @indent.begin
["}" ")"] @indent.branch
