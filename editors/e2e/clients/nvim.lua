-- Neovim's own language client on the product: nvim --headless -u NONE -i NONE -n -S nvim.lua
-- Environment: WASM_LS (the program), FILE (a .wat with a wrong handler label).
local fail = function(m) io.stderr:write('FAIL ' .. tostring(m) .. '\n'); vim.cmd('cquit 1') end
local ok, err = xpcall(function()
  vim.cmd('edit ' .. vim.env.FILE)
  local buf = vim.api.nvim_get_current_buf()
  local id = vim.lsp.start_client({ name = 'wasm-ls', cmd = { vim.env.WASM_LS, 'serve', '--stdio' }, root_dir = vim.fn.getcwd(), get_language_id = function() return 'wat' end })
  assert(id, 'client did not start')
  assert(vim.lsp.buf_attach_client(buf, id), 'attach')
  local client = vim.lsp.get_client_by_id(id)
  assert(vim.wait(10000, function() return client.initialized end, 20), 'initialize timed out')
  assert(vim.wait(10000, function() return #vim.diagnostic.get(buf) > 0 end, 20), 'no diagnostics')
  local d = vim.diagnostic.get(buf)
  for _, x in ipairs(d) do print('diag', x.lnum + 1, x.col + 1, x.code, x.message) end
  assert(#d == 1, 'one mistake, one diagnostic; got ' .. #d)
  -- hover where the mistake is
  local at = { textDocument = vim.lsp.util.make_text_document_params(buf), position = { line = d[1].lnum, character = d[1].col + 1 } }
  local r, e = vim.lsp.buf_request_sync(buf, 'textDocument/hover', at, 5000)
  assert(not e and r[id].result, e or 'no hover')
  print('hover', vim.inspect(r[id].result.contents))
  -- put it right by hand: an incremental didChange
  for i, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, false)) do
    if line:find('(block $on_yield (result i64)', 1, true) then
      vim.api.nvim_buf_set_lines(buf, i - 1, i, false, { (line:gsub('%(result i64%)', '(result i64 (ref $gen))')) })
    end
  end
  assert(vim.wait(10000, function() return #vim.diagnostic.get(buf) == 0 end, 20), 'diagnostics not cleared')
  print('cleared after the edit')
  client.stop()
  assert(vim.wait(5000, function() return client.is_stopped() end, 20), 'server did not stop')
end, debug.traceback)
if not ok then fail(err) else io.stdout:write('\nPASS nvim ' .. vim.version().major .. '.' .. vim.version().minor .. '\n'); vim.cmd('qa!') end
