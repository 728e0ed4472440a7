import { commonParts, script } from './redis-scripts'

// A registered client has a key of its own. While it is not in use, it also has an entry in an index, which is one key for all tenants. On
// a Cluster the two keys may be on two nodes. The index says which client makes room; the value itself says whether it may be deleted.

/** `saveClient` on a client's key. ARGV: lifetime, and the line that never changes. */
export const saveScript = script(`${commonParts}
local value = redis.call('GET', KEYS[1])
if value and not string.find(value, '^1;[iu];%d+;%d+;?%d*\\n[^\\n]+\\n%.$') then return {'unreadable'} end
local now = clock()
local expiresAt = number(now + ARGV[1])
redis.call('SET', KEYS[1], table.concat({'1;i;' .. number(now) .. ';' .. expiresAt, ARGV[2], '.'}, '\\n'), 'PXAT', expiresAt)
return {'saved', number(now), expiresAt}
`)

/** `touchClient` on a client's key. ARGV: lifetime, and `u` if it is in use from now on, or `i`. Returns `idle` if it was not in use before, and its expiry. */
export const keepScript = script(`${commonParts}
local value = redis.call('GET', KEYS[1])
if not value then return {'missing'} end
local _, _, use, createdAt, expiresAt, usedAt, fixed = string.find(value, '^1;([iu]);(%d+);(%d+)(;?%d*)\\n([^\\n]+)\\n%.$')
if not fixed then return {'unreadable'} end
local now = clock()
local later = number(now + ARGV[1])
if tonumber(later) > tonumber(expiresAt) then expiresAt = later end
local becomes = use == 'u' and use or ARGV[2]
if ARGV[2] == 'u' then usedAt = ';' .. number(now) end
redis.call('SET', KEYS[1], table.concat({'1;' .. becomes .. ';' .. createdAt .. ';' .. expiresAt .. usedAt, fixed, '.'}, '\\n'), 'PXAT', expiresAt)
return {use == 'i' and 'idle' or 'in use', expiresAt}
`)

/** Deletes a registered client, unless it is in use. */
export const dropIdleScript = script(`
local value = redis.call('GET', KEYS[1])
if value and string.find(value, '^1;i;') then redis.call('DEL', KEYS[1]) end
return 1
`)

// The index is a sorted set whose members are the rows of four tables, in alphabetical order. Numbers have 16 digits.
//   t;tenant;place;client            by tenant, oldest first: each place is greater than the ones before
//   x;expiry;tenant;client           by expiry
//   c;tenant;client;place;expiry     by client
//   n;count;tenant                   how many rows of the first table each tenant has
// A row d;time;tenant;client is a client that made room at that time and whose value is not deleted yet.
const indexParts = `${commonParts}
local index = KEYS[1]
local function padded(value) return string.format('%016.0f', value) end
local function add(...) redis.call('ZADD', index, 0, table.concat({...}, ';')) end
local function drop(...) return redis.call('ZREM', index, table.concat({...}, ';')) end
local function from(...) return '[' .. table.concat({...}, ';') .. ';' end
local function to(...) return '(' .. table.concat({...}, ';') .. '<' end

local function count(...) return redis.call('ZLEXCOUNT', index, from(...), to(...)) end
local function first(most, ...) return redis.call('ZRANGE', index, from(...), to(...), 'BYLEX', 'LIMIT', 0, most) end
local function last(skip, ...) return redis.call('ZRANGE', index, to(...), from(...), 'BYLEX', 'REV', 'LIMIT', skip, 1)[1] end

local function counted(tenant, change)
  local before = count('t', tenant)
  if before > 0 then drop('n', padded(before), tenant) end
  change()
  local after = count('t', tenant)
  if after > 0 then add('n', padded(after), tenant) end
end

local function forget(tenant, client)
  local row = first(1, 'c', tenant, client)[1]
  if not row then return false end
  local place, expiry = string.match(row, '(%d+);(%d+)$')
  counted(tenant, function() drop('t', tenant, place, client) end)
  drop('x', expiry, tenant, client)
  redis.call('ZREM', index, row)
  return true
end

-- Behind all others of its tenant, whatever the clock says.
local function append(tenant, client, expiresAt)
  local time = redis.call('TIME')
  local place = padded(time[1] * 1000000 + time[2])
  local newest = string.match(last(0, 't', tenant) or '', '^t;[^;]*;(%d+);')
  if newest and newest >= place then place = padded(newest + 1) end
  local expiry = padded(expiresAt)
  counted(tenant, function() add('t', tenant, place, client) end)
  add('x', expiry, tenant, client)
  add('c', tenant, client, place, expiry)
  redis.call('PEXPIREAT', index, number(string.match(last(0, 'x'), '%d+')))
end
`

/**
 * Adds a client to the index, and removes the clients that are too many from it. ARGV: tenant, client, lifetime, and the limits of the
 * tenant and of all tenants. Returns the rows of the clients whose values must be deleted, with those that an earlier process has left.
 *
 * If a lower limit, or the expiry of many registrations, leaves much to remove, each call removes a small part of it, so that Redis serves
 * other requests in between. That part is more than the one client that a call adds.
 */
export const enterScript = script(`${indexParts}
local tenant, client, perTenant, total = ARGV[1], ARGV[2], tonumber(ARGV[4]), tonumber(ARGV[5])
local now = clock()
local expired = redis.call('ZRANGE', index, '[x;', '(x;' .. padded(now) .. '<', 'BYLEX', 'LIMIT', 0, 50)
for _, row in ipairs(expired) do forget(string.match(row, '^x;%d+;([^;]*);(.*)$')) end

forget(tenant, client)
append(tenant, client, now + ARGV[3])

local function oldest(tenant) return string.match(first(1, 't', tenant)[1], '^t;[^;]*;%d+;(.*)$') end
local function live() return redis.call('ZLEXCOUNT', index, '[x;' .. padded(now) .. '<', '(x<') end

local dropped = {}
local late = redis.call('ZRANGE', index, '[d;', '(d;' .. padded(now - 10000), 'BYLEX', 'LIMIT', 0, 20)
for _, row in ipairs(late) do
  -- One that has been saved again stays.
  if count('c', string.match(row, '^d;%d+;([^;]*);(.*)$')) == 0 then table.insert(dropped, row) else redis.call('ZREM', index, row) end
end
local function makeRoom(tenant, client)
  forget(tenant, client)
  add('d', padded(now), tenant, client)
  table.insert(dropped, table.concat({'d', padded(now), tenant, client}, ';'))
end
for _ = 1, 20 do
  if count('t', tenant) <= perTenant then break end
  makeRoom(tenant, oldest(tenant))
end
for _ = 1, 20 do
  if live() <= total then break end
  local most = string.match(last(0, 'n'), '([^;]*)$')
  -- Where each tenant has one, it is not the new one that goes.
  if most == tenant and oldest(most) == client then most = string.match(last(1, 'n'), '([^;]*)$') end
  makeRoom(most, oldest(most))
end
return dropped
`)

/**
 * Completes what `enterScript` has begun. ARGV: tenant, client, and the rows of the clients whose values have been deleted. Returns whether
 * the client is still in the index: another process may have removed it before it had a value to delete.
 */
export const settleScript = script(`${indexParts}
for position = 3, #ARGV do redis.call('ZREM', index, ARGV[position]) end
return count('c', ARGV[1], ARGV[2])
`)

/** Removes a client from the index. ARGV: tenant, client. */
export const leaveScript = script(`${indexParts}
return forget(ARGV[1], ARGV[2]) and 1 or 0
`)

/** Makes a client the newest of the index, if it is in the index. ARGV: tenant, client, expiry. */
export const renewScript = script(`${indexParts}
if forget(ARGV[1], ARGV[2]) then append(ARGV[1], ARGV[2], ARGV[3]) end
return 1
`)
