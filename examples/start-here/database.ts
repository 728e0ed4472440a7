import { Pool } from 'pg'

if (!process.env.DATABASE_URL) throw new Error('DATABASE_URL is not set')

/** The app's own database. */
export const pool = new Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 2000 })
// Without a listener, Node ends the process when the database goes away.
pool.on('error', (error) => console.error('PostgreSQL:', error.message))
