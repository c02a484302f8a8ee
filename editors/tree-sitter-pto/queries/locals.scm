(function) @local.scope
(value_name) @local.reference
