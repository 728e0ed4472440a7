/** The benchmarks: each is a folder here. What else is on the command line is for its main file. */
const benchmarks = {
  comparison: 'this library beside minimal servers and alternatives, if no other is named',
  endurance: 'one process under full load for ten minutes: waits, memory, garbage collector',
  growth: 'a refresh with more processes, and with more masters of a Redis Cluster',
  postgres: 'what the library costs PostgreSQL; with --hour, an hour of constant refreshing',
  redis: 'what the library costs Redis',
  size: 'calls while a store holds few grants, and millions',
  telemetry: 'a refresh with channels, metrics and traces',
}

const isNamed = process.argv[2]?.startsWith('-') === false
const [name = ''] = isNamed ? process.argv.splice(2, 1) : ['comparison']

if (Object.hasOwn(benchmarks, name)) {
  void import(`./${name}/main.js`)
} else {
  const list = Object.entries(benchmarks).map(([each, what]) => `  ${each.padEnd(12)}${what}\n`)
  process.stderr.write(`There is no benchmark ${name}. There are:\n${list.join('')}`)
  process.exitCode = 1
}
