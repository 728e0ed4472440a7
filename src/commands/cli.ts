#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { ConfigurationError, nearestName } from '../configuration/configuration-error'
import { doctor, doctorUsage } from '../doctor/command'
import { postgresSchema } from '../postgres/schema'
import { keys, keysUsage } from './keys'
import { WrongUse } from './wrong-use'

// This package's own package.json, next to `src` and `dist`.
const { version }: { version: string } = require('../../package.json')

const usage = `Usage: customer-sign-in <command>

Commands:
${doctorUsage}
${keysUsage}
  postgres:schema   Print the SQL of the tables and functions of PostgresTokenStore.
    --schema NAME         the schema that has them (default: customer_sign_in)
    --table-prefix NAME   what their names begin with (default: none)
    --role NAME           also grant this role what the host's processes need

With --help this text is printed, with --version the version.
`

type Command = (args: string[]) => number | Promise<number>

const commands = new Map<string, Command>(Object.entries({ doctor, keys, 'postgres:schema': printSchema }))

/** Runs a command line. @returns The exit code. */
async function main([command = '', ...args]: string[]): Promise<number> {
  const run = commands.get(command)
  const isAsked = [command, ...(run ? args : [])].some((argument) => argument === '--help' || argument === '-h')
  if (run && !isAsked) return run(args)
  if (command === '--version') process.stdout.write(`${version}\n`)
  else if (isAsked) process.stdout.write(usage)
  else process.stderr.write(`${command === '' ? '' : unknownCommand(command)}${usage}`)
  return isAsked || command === '--version' ? 0 : 2
}

function unknownCommand(command: string): string {
  const nearest = nearestName(command, [...commands.keys()])
  return `${command} is not a command.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}\n\n`
}

function printSchema(args: string[]): number {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ args, options: { schema: text, 'table-prefix': text, role: text } })
  const { schema, 'table-prefix': tablePrefix, role } = values
  process.stdout.write(postgresSchema({ schema, tablePrefix, role }))
  return 0
}

// Whoever reads the output may stop, as `head` does. The command goes on: the doctor still has to tidy up.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

/** A wrong option of the command line is the user's: no stack trace. */
function explain(error: NodeJS.ErrnoException): void {
  const isWrongUse = error instanceof ConfigurationError || error instanceof WrongUse
  if (!isWrongUse && !String(error.code).startsWith('ERR_PARSE_ARGS')) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}

main(process.argv.slice(2))
  .then((code) => {
    process.exitCode = code
  })
  .catch(explain)
