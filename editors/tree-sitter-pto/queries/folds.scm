(braces) @fold
(body) @fold
