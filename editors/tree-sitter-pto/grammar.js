// The text of PTO programs: functions, blocks in braces, and the tokens of statements.
//
// Statements have no separator and instructions have no list here: what an instruction means is known by `pto lsp`. This grammar
// finds what an editor needs before that: functions, blocks, operations, values, types, attributes.

module.exports = grammar({
  name: "pto",

  extras: ($) => [/\s/, $.comment],
  word: ($) => $.identifier,
  conflicts: ($) => [[$.function]],

  rules: {
    source_file: ($) => repeat($._item),

    _item: ($) =>
      choice(
        $.function,
        $.module,
        $.type_alias,
        $.attribute_alias,
        $.location,
        $.operation,
        $.generic_operation,
        $.keyword,
        $.named_argument,
        $.value,
        $.symbol,
        $.block_label,
        $._type,
        $.attribute,
        $.string,
        $._number,
        $.boolean,
        $.identifier,
        $.parens,
        $.brackets,
        $.braces,
        $.angles,
        $.arrow,
        $.placeholder,
        "=",
        ",",
        ":",
        ";",
        "*",
      ),

    // ---- functions and modules ----------------------------------------------------------------------------------------

    function: ($) =>
      seq(
        field("keyword", alias(choice(token(prec(2, "func.func")), "func"), $.keyword)),
        optional(field("visibility", alias(choice("private", "public", "nested"), $.keyword))),
        field("name", $.symbol),
        field("parameters", $.parens),
        optional(seq($.arrow, field("results", choice($._type, $.parens)))),
        optional(seq(alias("attributes", $.keyword), field("attributes", $.braces))),
        optional(field("body", alias($.braces, $.body))),
      ),

    module: ($) =>
      seq(
        field("keyword", alias(choice("module", token(prec(2, "builtin.module"))), $.keyword)),
        optional(field("name", $.symbol)),
        optional(seq(alias("attributes", $.keyword), field("attributes", $.braces))),
        field("body", alias($.braces, $.body)),
      ),

    type_alias: ($) => prec(2, seq(field("name", $.type_name), "=", field("type", $._type))),
    attribute_alias: ($) => prec(2, seq(field("name", $.attribute_name), "=", choice($.attribute, $.location))),

    // ---- groups -------------------------------------------------------------------------------------------------------

    parens: ($) => seq("(", repeat($._item), ")"),
    brackets: ($) => seq("[", repeat($._item), "]"),
    braces: ($) => seq("{", repeat($._item), "}"),
    angles: ($) => seq("<", repeat(choice($._item, $.shape)), ">"),

    // ---- operations and words ------------------------------------------------------------------------------------------

    operation: (_) => token(prec(1, /[a-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+/)),
    generic_operation: ($) => prec(1, seq(field("name", $.string), field("operands", $.parens))),
    named_argument: ($) => prec(1, seq(field("name", choice($.identifier, $.operation, $.element_type, $.keyword, alias("loc", $.identifier))), "=")),
    keyword: (_) =>
      choice("ins", "outs", "attributes", "to", "step", "iter_args", "else", "do", "case", "default", "return", "tag"),
    location: ($) => seq(alias("loc", $.keyword), $.parens),
    identifier: (_) => /[A-Za-z_$][A-Za-z0-9_$]*/,
    placeholder: (_) => "...",
    arrow: (_) => "->",

    // ---- names ----------------------------------------------------------------------------------------------------------

    value: ($) => prec.right(seq($.value_name, optional($.result_number))),
    value_name: (_) => token(/%[A-Za-z0-9_$]([A-Za-z0-9_$.\-]*[A-Za-z0-9_$\-])?/),
    result_number: (_) => token.immediate(prec(2, /[#:][0-9]+/)),
    symbol: (_) => token(choice(/@[A-Za-z0-9_$]([A-Za-z0-9_$.\-]*[A-Za-z0-9_$\-])?/, /@"[^"\n]*"/)),
    block_label: (_) => token(/\^[A-Za-z0-9_$.\-]+/),

    // ---- types and attributes --------------------------------------------------------------------------------------------

    _type: ($) => choice($.type, $.builtin_type),
    type: ($) => prec.right(seq($.type_name, optional(alias($._tight_angles, $.angles)))),
    builtin_type: ($) =>
      prec.right(choice($.element_type, seq(alias(choice("memref", "tensor", "vector", "array"), $.type_name), optional($.angles)))),
    type_name: (_) => token(/![A-Za-z_$]([A-Za-z0-9_$.]*[A-Za-z0-9_$])?/),
    element_type: (_) =>
      token(prec(1, /u?i(1|4|8|16|32|64)|si(8|16|32|64)|b?f(16|32|64)|f[48]E[0-9]+M[0-9]+(FN)?|index|none|dtype/)),
    shape: (_) => token(/(([0-9]+|\?)x)+([0-9]+|\?)?|\?/),

    attribute: ($) => prec.right(seq($.attribute_name, optional(alias($._tight_angles, $.angles)))),
    attribute_name: (_) => token(/#[A-Za-z_$]([A-Za-z0-9_$.]*[A-Za-z0-9_$])?/),
    _tight_angles: ($) => seq(token.immediate("<"), repeat(choice($._item, $.shape)), ">"),

    // ---- literals -------------------------------------------------------------------------------------------------------

    string: ($) => seq('"', repeat(choice($.string_text, $.escape)), token.immediate('"')),
    string_text: (_) => token.immediate(prec(1, /[^"\\\n]+/)),
    escape: (_) => token.immediate(/\\([0-9A-Fa-f]{2}|.)/),
    _number: ($) => choice($.integer, $.float),
    integer: (_) => token(/-?([0-9]+|0x[0-9A-Fa-f]+)/),
    float: (_) => token(/-?[0-9]+(\.[0-9]*([eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)/),
    boolean: (_) => choice("true", "false"),

    comment: (_) => token(choice(/\/\/[^\n]*/, /#([^A-Za-z_"\n$][^\n]*)?/)),
  },
});
