import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from './build.js'

// Builds what changed, and runs a built program with the arguments after its path. Runs it in this process, so that
// signals reach it.
const [path = ''] = process.argv.splice(2, 1)
const products = path.startsWith('.build') ? ['program', 'tests'] : ['program']
if (await build(products)) {
  process.argv[1] = resolve(path)
  await import(pathToFileURL(path).href)
} else {
  process.exitCode = 1
}
