(comment) @comment
(string) @string
(escape) @string.escape
(integer) @number
(float) @number.float
(shape) @number
(boolean) @boolean
(keyword) @keyword
(operation) @function.call
(generic_operation name: (string) @function.call)
(function name: (symbol) @function)
(symbol) @function
(value_name) @variable
(result_number) @number
(block_label) @label
(type_name) @type
(element_type) @type.builtin
(attribute_name) @attribute
(named_argument name: (_) @property)
(function parameters: (parens (value (value_name) @variable.parameter)))
(type_alias name: (type_name) @type.definition)
(arrow) @operator
"=" @operator
["(" ")" "[" "]" "{" "}" "<" ">"] @punctuation.bracket
["," ":" ";"] @punctuation.delimiter
