local M = {}
local x = require("x")
-- Doc
function M.run(a)
  return a
end
function M:go() end
local function helper() end
M.other = function(b) return b end
local t = { a = function() end }
return M
