import { postgresSchema } from 'customer-sign-in/postgres'
import pg from 'pg'

// As the role that owns the tables. It can be run again: it creates what is missing, replaces the functions, and leaves the data as it is.
const client = new pg.Client({ connectionString: process.env.OWNER_DATABASE_URL })
await client.connect()
await client.query(`begin; set local lock_timeout = '1s'; ${postgresSchema({ role: 'sign_in' })}; commit`)
await client.end()
