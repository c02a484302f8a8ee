-- Attaches Neovim to `pto lsp` and checks what its user would see.

local function fail(message)
  io.stdout:write(message .. "\n")
  vim.cmd("cquit 1")
end

local function check(condition, message)
  if not condition then
    fail("wrong: " .. message)
  end
end

local lines = {
  "func.func @f(%tile: !pto.tile_buf<vec, 16x16xf32>) {",
  "    pto.tmaxx ins(%tile, %tile) outs(%tile)",
  "  return",
  "}",
}
vim.fn.writefile(lines, "kernel.pto")
vim.cmd("edit kernel.pto")
local buffer = vim.api.nvim_get_current_buf()

local client = vim.lsp.start_client({ name = "pto", cmd = { os.getenv("PTO"), "lsp" }, root_dir = vim.fn.getcwd() })
check(client, "the server does not start")
check(vim.lsp.buf_attach_client(buffer, client), "the server does not attach")

local function wait_for(condition, message)
  check(vim.wait(20000, condition, 20), message)
end

local function problems()
  return vim.diagnostic.get(buffer)
end

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(buffer, method, params, 20000)
  local answer = answers and answers[client]
  check(answer and not answer.err, method .. ": " .. vim.inspect(answer))
  return answer.result
end

local function at(line, column)
  return { textDocument = vim.lsp.util.make_text_document_params(buffer), position = { line = line, character = column } }
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
end

wait_for(function() return #problems() == 1 end, "no problem is shown")
check(problems()[1].code == "PTO-E0004", vim.inspect(problems()))

vim.api.nvim_buf_set_lines(buffer, 1, 2, false, { "    pto.tmax ins(%tile, %tile) outs(%tile)" })
wait_for(function() return #problems() == 0 end, "the problem stays: " .. vim.inspect(problems()))

local hover = ask("textDocument/hover", at(1, 7))
check(hover.contents.value:find("TMAX"), vim.inspect(hover))

local offset = vim.lsp.get_client_by_id(client).offset_encoding
local rename = at(1, 20)
rename.newName = "t"
vim.lsp.util.apply_workspace_edit(ask("textDocument/rename", rename), offset)
check(text():find("pto.tmax ins%(%%t, %%t%) outs%(%%t%)"), text())

local layout = { textDocument = at(0, 0).textDocument, options = { tabSize = 2, insertSpaces = true } }
vim.lsp.util.apply_text_edits(ask("textDocument/formatting", layout), buffer, offset)
check(text():find("\n  pto.tmax"), text())

io.stdout:write("all well\n")
vim.cmd("qall!")
