-- job_submit/lua for Slurm: asks `rocefab serve` which nodes a job should have.
--
-- Only a job with `--comment=rocefab` or `--comment=rocefab:TRAFFIC` is changed, such as
-- `sbatch --nodes=16 --comment=rocefab:all-to-all`; it gets the nodes of the answer as if by
-- --nodelist. When the service is away, slow, or has no place, the job stays as it was submitted.
-- slurmctld waits while this runs: keep DEADLINE_S short.
--
-- The service learns of a job when slurmctld starts it (running_jobs.sh). Until then another job can
-- get the same nodes, and waits for the first. With HOLD_S above 0 jobs that follow within so many
-- seconds get other nodes; a job for which there are none then stays as it was submitted.
--
-- Copy it as job_submit.lua next to slurm.conf, set `JobSubmitPlugins=lua` there, and install the
-- Debian packages slurm-wlm-plugins and lua-socket. Fields: job_submit_plugins(5) of Slurm.
-- It speaks HTTP without TLS: the service, or a proxy for it, listens on loopback of this machine.
local URL = "http://127.0.0.1:8780/v1/placements"
local TOKEN = ""
local DEADLINE_S = 0.5
local HOLD_S = 0

-- Nodes of jobs that were just submitted, each with the second until which they are left out.
local held = {}

local function log(text)
  slurm.log_info("rocefab: %s", text)
end

-- A TCP socket whose every call ends at one time for all of them.
local function limited(socket)
  local ends_s = socket.gettime() + DEADLINE_S
  return function()
    local plain = socket.tcp()
    local own = {}
    for _, name in ipairs({ "connect", "send", "receive" }) do
      own[name] = function(_, ...)
        local left_s = ends_s - socket.gettime()
        if left_s <= 0 then
          return nil, "timeout"
        end
        plain:settimeout(left_s, "t")
        return plain[name](plain, ...)
      end
    end
    function own.settimeout()
      return 1
    end
    function own.close()
      return plain:close()
    end
    return own
  end
end

local function asked(nodes, traffic, exclude)
  local socket, http = require("socket"), require("socket.http")
  local ltn12 = require("ltn12")
  local body = string.format('{"nodes": %d, "traffic": "%s"', nodes, traffic)
  if exclude ~= "" then
    body = body .. string.format(', "exclude": "%s"', exclude)
  end
  body = body .. "}"
  local headers = { ["content-type"] = "application/json", ["content-length"] = tostring(#body) }
  if TOKEN ~= "" then
    headers["authorization"] = "Bearer " .. TOKEN
  end
  local parts = {}
  local done, status = http.request({
    url = URL,
    method = "POST",
    headers = headers,
    source = ltn12.source.string(body),
    sink = ltn12.sink.table(parts),
    create = limited(socket),
  })
  if not done or status ~= 200 then
    return nil, tostring(status)
  end
  return string.match(table.concat(parts), '"hostlist":%s*"([%w%.,%-_%[%]]+)"'), "no hostlist"
end

-- Nodes to leave out: those of the job, and those that are held.
local function without_held(exclude)
  local now_s, still, names = os.time(), {}, {}
  if exclude ~= "" then
    table.insert(names, exclude)
  end
  for _, one in ipairs(held) do
    if one.until_s > now_s then
      table.insert(still, one)
      table.insert(names, one.hosts)
    end
  end
  held = still
  return table.concat(names, ",")
end

function slurm_job_submit(job, partitions, uid)
  local traffic = string.match(job.comment or "", "^rocefab:?([%w%.,:-]*)$")
  local nodes, exclude = job.min_nodes, job.exc_nodes or ""
  local is_plain = not string.find(exclude, "[^%w%.,%-_%[%]]")
  if not traffic or (job.req_nodes or "") ~= "" or not is_plain then
    return slurm.SUCCESS
  end
  if not nodes or nodes < 1 or nodes >= slurm.NO_VAL then
    return slurm.SUCCESS
  end
  local others = without_held(exclude)
  local is_done, hosts, why = pcall(asked, nodes, traffic == "" and "ring" or traffic, others)
  if is_done and hosts then
    job.req_nodes = hosts
    if HOLD_S > 0 then
      table.insert(held, { hosts = hosts, until_s = os.time() + HOLD_S })
    end
    log("chose " .. hosts)
  else
    log("job stays as it is: " .. tostring(is_done and why or hosts))
  end
  return slurm.SUCCESS
end

function slurm_job_modify(job, record, partitions, uid)
  return slurm.SUCCESS
end
