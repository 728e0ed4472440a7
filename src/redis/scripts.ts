import { createHash } from 'node:crypto'

/** A Lua script, and its SHA-1, by which the server knows it. */
export type Script = ReturnType<typeof script>

/** The functions of all scripts: the server's time in milliseconds, and a number as text. */
const commonParts = `
local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function number(value) return string.format('%.0f', value) end
`

// The functions of the scripts on grants. A value begins with a header, whose fields have semicolons between them: version, kind, hash,
// attempt, swapped at, created at, expires at, ends at, and what was redeemed last: marks of 8 characters, each with its age at the last
// swap. The kind is n for no credential, c for a code, f for the first refresh token, which replaced the code, and r for every other refresh token.
const grantParts = `${commonParts}
local successors = { c = 'f', f = 'r', r = 'r' }
local marks = '(' .. string.rep('[%w_-]', 8) .. ')(%d+)'

-- What a line of JSON says, or nil. cjson refuses a half of a surrogate pair, which JSON.stringify writes as an escape.
local function decoded(line)
  local withoutBackslashes = string.gsub(line, '\\\\\\\\', '')
  local isRead, result = pcall(cjson.decode, (string.gsub(withoutBackslashes, '\\\\u[dD][89a-fA-F]%x%x', '')))
  return isRead and result or nil
end

-- A grant, or nil if the store could not read its value: nothing is written then.
local function read(value)
  local _, last, kind, hash, attempt, at, createdAt, expiresAt, endsAt, redeemed, resource, fixed =
    string.find(value, '^1;([ncfr]);([^;\\n]*);([^;\\n]*);(%d*);(%d+);(%d+);(%d*);([^;\\n]*)\\n([^\\n]+)\\n([^\\n]+)\\n')
  if not hash then return nil end
  local rest = kind == 'c' and '^[^\\n]+\\n%.$' or '^%.$'
  local parts = decoded(fixed)
  local isWhole = string.find(string.sub(value, last + 1), rest) and type(decoded(resource)) == 'string' and
    type(parts) == 'table' and type(parts[1]) == 'string' and type(parts[2]) == 'string' and type(parts[3]) == 'string'
  if not isWhole then return nil end
  return { kind = kind, hash = hash, attempt = attempt, at = at, createdAt = createdAt, expiresAt = expiresAt,
    endsAt = endsAt, redeemed = redeemed, resource = resource, fixed = fixed }
end

local function write(grant)
  local header = table.concat({'1', grant.kind, grant.hash, grant.attempt, grant.at, grant.createdAt, grant.expiresAt,
    grant.endsAt, grant.redeemed}, ';')
  local lines = {header, grant.resource, grant.fixed}
  if grant.request then table.insert(lines, grant.request) end
  table.insert(lines, '.')
  local value = table.concat(lines, '\\n')
  redis.call('SET', KEYS[1], value, 'PXAT', grant.expiresAt)
  return value
end

local function earlier(expiresAt, endsAt)
  if endsAt ~= '' and tonumber(endsAt) < expiresAt then return endsAt end
  return number(expiresAt)
end

local function noteInIndex(member, untilTime, now)
  redis.call('ZADD', KEYS[2], untilTime, member)
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', number(now))
  local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')
  if last[2] then redis.call('PEXPIREAT', KEYS[2], last[2]) end
end
`

/** The beginning of a script that changes a grant. */
const liveGrant = `${grantParts}
local now = clock()
local value = redis.call('GET', KEYS[1])
if not value then return {'missing', number(now)} end
local grant = read(value)
if not grant then return {'unreadable', number(now)} end
if tonumber(grant.expiresAt) <= now then return {'missing', number(now)} end`

/**
 * `createGrant` on a grant's key and its customer's index. ARGV: the grant's member of the index, deadline, lifetime, the age at which the
 * grant ends at the latest or '', hash or '', and the lines of the value: resource, fixed, request.
 */
export const createScript = script(`${grantParts}
local now = clock()
local value = redis.call('GET', KEYS[1])
if value then return {'taken', number(now), value} end
if now >= tonumber(ARGV[2]) then return {'late', number(now)} end
local endsAt = ARGV[4] ~= '' and number(now + ARGV[4]) or ''
local isCode = ARGV[5] ~= ''
local grant = { kind = isCode and 'c' or 'n', hash = ARGV[5], attempt = '', at = '', createdAt = number(now),
  expiresAt = earlier(now + ARGV[3], endsAt), endsAt = endsAt, redeemed = '',
  resource = ARGV[6], fixed = ARGV[7], request = isCode and ARGV[8] or nil }
noteInIndex(ARGV[1], grant.expiresAt, now)
return {'created', number(now), write(grant)}
`)

/**
 * `swapCredential` on a grant's key and its customer's index. ARGV: the grant's member of the index, deadline, from, to, attempt,
 * remember, rest, lifetime, the line of the required resource or '', and the marks of what it redeems.
 *
 * The index keeps a member for a day longer than the grant lives, so that not every refresh has to write the index.
 */
export const swapScript = script(`${liveGrant}
if not successors[grant.kind] or grant.hash ~= ARGV[3] then return {'mismatch', number(now), value} end
if ARGV[9] ~= '' and ARGV[9] ~= grant.resource then return {'wrong_resource', number(now), value} end
-- Where the clock has gone back, it is not new but of an unknown age.
local isNew = grant.kind == 'r' and now >= tonumber(grant.at) and now - grant.at < tonumber(ARGV[7])
if isNew then return {'fresh', number(now), value} end
if now >= tonumber(ARGV[2]) then return {'late', number(now)} end

local before = tonumber(grant.at) or tonumber(grant.createdAt)
-- A clock that has gone back must not make a swap older than the one before.
local at = math.max(now, before)

local redeemed = {}
for position = 10, #ARGV do table.insert(redeemed, ARGV[position] .. '0') end
for mark, age in string.gmatch(grant.redeemed, marks) do
  age = age + at - before
  if #redeemed >= 16 or age > tonumber(ARGV[6]) then break end
  table.insert(redeemed, mark .. number(age))
end

grant.kind = successors[grant.kind]
grant.hash = ARGV[4]
grant.attempt = ARGV[5]
grant.at = number(at)
grant.expiresAt = earlier(now + ARGV[8], grant.endsAt)
grant.redeemed = table.concat(redeemed, ',')
local known = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or 0)
if known < tonumber(grant.expiresAt) then noteInIndex(ARGV[1], number(grant.expiresAt + 86400000), now) end
return {'swapped', number(now), write(grant)}
`)

/**
 * `reverseSwap` on a grant's key and its customer's index. ARGV: the grant's member of the index, deadline, to, kind, hash, the
 * request and the lifetime of a code, and the attempts.
 */
export const reverseScript = script(`${liveGrant}
local isMeant = false
for position = 8, #ARGV do isMeant = isMeant or grant.attempt == ARGV[position] end
if grant.hash ~= ARGV[3] or not isMeant then return {'mismatch', number(now)} end
if now >= tonumber(ARGV[2]) then return {'late', number(now)} end
grant.kind = ARGV[4]
grant.hash = ARGV[5]

-- The times of what is left count from the swap before.
local redeemed, before = {}, nil
for mark, age in string.gmatch(string.match(grant.redeemed, ',.+$') or '', marks) do
  before = before or age
  table.insert(redeemed, mark .. number(age - before))
end
grant.redeemed = table.concat(redeemed, ',')
grant.at = before and number(grant.at - before) or grant.createdAt

if grant.kind == 'c' then
  grant.attempt = ''
  grant.at = ''
  grant.request = ARGV[6]
  grant.expiresAt = earlier(grant.createdAt + ARGV[7], grant.endsAt)
  noteInIndex(ARGV[1], grant.expiresAt, now)
end
write(grant)
return {'reversed', number(now)}
`)

/** `deleteGrant` on a grant's key and its customer's index. ARGV: the grant's member of the index. */
export const deleteScript = script(`
local deleted = redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return deleted
`)

/** Removes from a customer's index the members whose grants no longer exist. On the index and those grants' keys. ARGV: the members. */
export const dropEntriesScript = script(`
for position, member in ipairs(ARGV) do
  -- A value of another type is an error, and no reason to stop.
  if not redis.pcall('GET', KEYS[position + 1]) then redis.call('ZREM', KEYS[1], member) end
end
return 1
`)

/** Notes on the key of a mark that an owner's grants are being deleted. ARGV: how long the mark is kept. */
export const markScript = script(`${commonParts}
local at = math.max(clock(), tonumber(redis.call('GET', KEYS[1]) or 0))
-- A server without free memory refuses only the first write of a script, if that needs memory.
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[1], number(at), 'PX', ARGV[1])
return 1
`)

/** `useOnce` on the key of an id. ARGV: a value of this call, and the lifetime. */
export const useOnceScript = script(`
local value = redis.call('GET', KEYS[1])
if value then return value == ARGV[1] and 1 or 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`)

function script(lua: string) {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}
