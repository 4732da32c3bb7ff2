import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'

// Runs the npm scripts that it is given: the first ones at once, as many as there are processors, and
// each of the others when one has ended. It fails if one of them fails, after all have ended.
const waiting = process.argv.slice(2)
/**
 * For the compiler and the linter, which are written in Go: as many of them run as there are processors,
 * and each takes a third less of them if it does not divide its work. It may use memory instead.
 */
const oneProcessor = { GOMAXPROCS: '1', GOGC: '400' }

async function runScripts() {
  for (let script = waiting.shift(); script !== undefined; script = waiting.shift()) {
    const child = spawn('npm', ['run', '--silent', script], {
      stdio: 'inherit',
      env: { ...process.env, ...oneProcessor },
      shell: process.platform === 'win32',
    })
    const [code] = await once(child, 'close')
    if (code === 0) continue
    console.error(`npm run ${script}: failed`)
    process.exitCode = 1
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, runScripts))
