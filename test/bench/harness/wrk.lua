-- Makes the requests of one load, as environment variables describe them (wrk-load.mjs), and reports one line of JSON.
local authorization = os.getenv("LOAD_AUTHORIZATION")
local body = os.getenv("LOAD_BODY")
local tokens_file = os.getenv("LOAD_TOKENS")

wrk.method = os.getenv("LOAD_METHOD")
wrk.body = body
wrk.headers["Content-Type"] = os.getenv("LOAD_TYPE")
wrk.headers["Authorization"] = authorization
for name, value in os.getenv("LOAD_HEADERS"):gmatch("([^\n]-): ([^\n]*)") do wrk.headers[name] = value end

if tokens_file then
  local spend = os.getenv("LOAD_TOKEN_USE") == "spend"
  local tokens, position = {}, 0
  for line in io.lines(tokens_file) do tokens[#tokens + 1] = line end

  local function escape(text)
    return (text:gsub("[^%w%-%._~]", function(c) return string.format("%%%02X", c:byte()) end))
  end

  local function next_token()
    -- From an empty pool it sends a token that is rejected, so that the run shows failed requests.
    if spend then return table.remove(tokens) or "none-left" end
    position = position % #tokens + 1
    return tokens[position]
  end

  -- Split once: "before {token} after".
  local function around(text)
    local from, to = text:find("{token}", 1, true)
    return text:sub(1, from - 1), text:sub(to + 1)
  end

  if body and body:find("{token}", 1, true) then
    local before, after = around(body)
    function request() return wrk.format(nil, nil, nil, before .. escape(next_token()) .. after) end
  else
    local name = authorization and "Authorization" or "cookie"
    local before, after = around(wrk.headers[name])
    function request()
      wrk.headers[name] = before .. next_token() .. after
      return wrk.format()
    end
  end

  if spend then
    function response(_, headers, answer)
      -- Of several headers of one name it shows the last one: that of the refresh token.
      local cookie = headers["set-cookie"] or headers["Set-Cookie"] or ""
      local successor = answer:match('"refresh_token"%s*:%s*"([^"]+)"') or cookie:match("^__Host%-latchhook%-refresh=([^;]+)")
      if successor then tokens[#tokens + 1] = successor end
    end
  end
end

function done(summary, latency)
  local errors = summary.errors
  -- Rejections are quick: if they were counted, they would look like speed.
  local answered = summary.requests - errors.status
  io.write(string.format(
    'REPORT {"requests":%d,"perSecond":%.3f,"p50Ms":%.3f,"p99Ms":%.3f,"failed":%d}\n',
    summary.requests, answered / (summary.duration / 1e6),
    latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
