import { createHash } from 'node:crypto'

/** A Lua script on one key. */
export interface Script {
  lua: string
  sha: string
}

// A command can wait long in its client's queue: no longer than the core remembers that it was sent (undecided-attempts.ts).
const latest = 4 * 60_000

/**
 * `swapCredential` on a grant's key. ARGV: from, to, attempt, now, expiresAt, the required resource as a line of the value or ''.
 *
 * Gives the outcome, the value as it is now, and when the credential was last swapped before.
 */
export const swapScript = script(`
local value = redis.call('GET', KEYS[1])
if not value then return {'missing'} end
local _, _, hash, at, expiresAt, endsAt, resource, fixed =
  string.find(value, '^1;[cr];([^;\\n]*);[^;\\n]*;(%d*);(%d+);(%d*)\\n([^\\n]+)\\n([^\\n]+)\\n')
if not hash or string.sub(value, -2) ~= '\\n.' then return {'unreadable'} end

local time = redis.call('TIME')
local clock = time[1] * 1000 + math.floor(time[2] / 1000)
if clock - tonumber(ARGV[4]) > ${latest} then return {'late'} end
local now = math.max(tonumber(ARGV[4]), clock)
if tonumber(expiresAt) <= now then return {'missing'} end
if hash ~= ARGV[1] then return {'mismatch', value} end
if ARGV[6] ~= '' and ARGV[6] ~= resource then return {'refused', value} end

local newExpiry = ARGV[5]
if endsAt ~= '' and tonumber(endsAt) < tonumber(newExpiry) then newExpiry = endsAt end
local header = table.concat({'1', 'r', ARGV[2], ARGV[3], string.format('%.0f', now), newExpiry, endsAt}, ';')
local swapped = table.concat({header, resource, fixed, '.'}, '\\n')
redis.call('SET', KEYS[1], swapped, 'PXAT', newExpiry)
return {'swapped', swapped, at}
`)

/**
 * Notes a grant in the index of its customer. ARGV: grantId, until when the entry must be kept, now.
 *
 * Entries whose time has passed make room; the index lives as long as its last entry.
 */
export const noteScript = script(`
redis.call('ZADD', KEYS[1], 'GT', ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
redis.call('PEXPIREAT', KEYS[1], last[2])
return 1
`)

/** Drops grants that are gone from an index, save those noted too lately. ARGV: the latest score that may go, grantIds. */
export const pruneScript = script(`
for position = 2, #ARGV do
  local score = redis.call('ZSCORE', KEYS[1], ARGV[position])
  if score and tonumber(score) <= tonumber(ARGV[1]) then redis.call('ZREM', KEYS[1], ARGV[position]) end
end
return 1
`)

/** `saveClient` on a client's key. ARGV: value, expiresAt. */
export const saveScript = script(`
local value = redis.call('GET', KEYS[1])
if value and not string.find(value, '^1;[iu];%d+\\n[^\\n]+\\n%.$') then return 'unreadable' end
redis.call('SET', KEYS[1], ARGV[1], 'PXAT', ARGV[2])
return 'saved'
`)

/** `keepClient` on a client's key. ARGV: expiresAt. Says `first` where the client has been idle so far. */
export const keepScript = script(`
local value = redis.call('GET', KEYS[1])
if not value then return 'missing' end
local _, _, use, expiresAt, fixed = string.find(value, '^1;([iu]);(%d+)\\n([^\\n]+)\\n%.$')
if not fixed then return 'unreadable' end
if tonumber(expiresAt) < tonumber(ARGV[1]) then expiresAt = ARGV[1] end
redis.call('SET', KEYS[1], table.concat({'1;u;' .. expiresAt, fixed, '.'}, '\\n'), 'PXAT', expiresAt)
return use == 'i' and 'first' or 'kept'
`)

/**
 * Notes a registration in its tenant's list. ARGV: clientId, createdAt, expiresAt, the most that the list may hold.
 *
 * Gives the ids of the oldest ones that are too many. The list lives as long as its last registration could without being used.
 */
export const registerScript = script(`
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
if redis.call('PTTL', KEYS[1]) < ARGV[3] - ARGV[2] then redis.call('PEXPIREAT', KEYS[1], ARGV[3]) end
local excess = redis.call('ZCARD', KEYS[1]) - tonumber(ARGV[4])
if excess <= 0 then return {} end
local oldest = redis.call('ZRANGE', KEYS[1], 0, excess - 1)
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, excess - 1)
return oldest
`)

/** Drops a registered client, unless it is in use. */
export const dropIdleScript = script(`
local value = redis.call('GET', KEYS[1])
if value and string.find(value, '^1;i;') then redis.call('DEL', KEYS[1]) end
return 1
`)

function script(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}
