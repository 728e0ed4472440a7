import { layerOf, read } from './house'
import { walkedFiles } from './walked-files'

// Prints the files of src that a request runs through, in the order in which it enters them, each with the number of its layer. Those that
// one reads to follow the request are marked.
async function main(name = 'refresh'): Promise<void> {
  for (const file of await walkedFiles(name)) {
    const mark = read[name]?.includes(file) ? '*' : ' '
    process.stdout.write(`${mark} ${`${layerOf(file)}`.padStart(6)}  src/${file}.ts\n`)
  }
}

void main(process.argv[2])
