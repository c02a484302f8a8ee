(function body: (body) @function.inside) @function.around
(comment) @comment.around
