#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { ConfigurationError } from './configuration/configuration-error'
import { postgresSchema } from './stores/postgres-schema'

const usage = `Usage: customer-sign-in <command>

Commands:
  postgres:schema   Print the SQL of the tables and functions of PostgresTokenStore.
    --schema NAME         the schema that has them (default: customer_sign_in)
    --table-prefix NAME   what their names begin with (default: none)
    --role NAME           also grant this role what the host's processes need
`

/** Runs a command line. @returns The exit code. */
function main([command, ...args]: string[]): number {
  if (command === 'postgres:schema') return printSchema(args)
  const isAsked = command === '--help' || command === '-h'
  process[isAsked ? 'stdout' : 'stderr'].write(usage)
  return isAsked ? 0 : 2
}

function printSchema(args: string[]): number {
  const text = { type: 'string' } as const
  const help = { type: 'boolean', short: 'h' } as const
  const { values } = parseArgs({ args, options: { schema: text, 'table-prefix': text, role: text, help } })
  if (values.help) {
    process.stdout.write(usage)
    return 0
  }
  process.stdout.write(
    postgresSchema({ schema: values.schema, tablePrefix: values['table-prefix'], role: values.role }),
  )
  return 0
}

try {
  process.exitCode = main(process.argv.slice(2))
} catch (error) {
  // A wrong option of the command line is the user's: no stack trace.
  const isWrongUse =
    error instanceof ConfigurationError || String((error as { code?: string }).code).startsWith('ERR_PARSE_ARGS')
  if (!isWrongUse) throw error
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 2
}
