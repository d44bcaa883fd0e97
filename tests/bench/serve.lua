-- wrk script: placements of many sizes and kinds of traffic, and the percentiles of their time.
-- With UNIQUE each request excludes another host, counted from that number on, so that no answer
-- is kept from an earlier one.
local sizes = { 2, 4, 8, 16, 32, 64, 128, 256 }
local kinds = { "ring", "all-to-all", "ring:1,all-to-all:1" }
local count = 0
local offset = tonumber(os.getenv("UNIQUE") or "0")

wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"

function request()
  count = count + 1
  local nodes, kind = sizes[count % #sizes + 1], kinds[count % #kinds + 1]
  local body = string.format('{"nodes": %d, "traffic": "%s"', nodes, kind)
  if os.getenv("UNIQUE") then
    body = body .. string.format(', "exclude": ["h%05d"]', (count + offset) % 16384)
  end
  body = body .. "}"
  return wrk.format(nil, "/v1/placements", nil, body)
end

function done(summary, latency)
  local wrong = summary.errors.status + summary.errors.connect + summary.errors.timeout
  io.write(string.format(
    "FIGURES %d %.0f %d %.3f %.3f %.3f %.3f\n",
    summary.requests, summary.requests / (summary.duration / 1e6), wrong,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    latency:percentile(99.9) / 1e3, latency.max / 1e3))
end
