(function name: (symbol) @name) @item
(type_alias name: (type_name) @name) @item
