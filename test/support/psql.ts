import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { programOf } from '../../bench/servers/postgres.js'

/** Runs statements in one session. Returns one line per result row. Throws when a statement fails. */
export async function psql(url: string, statements: readonly string[]): Promise<string[]> {
  const args = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', url]
  const child = spawn(programOf('psql'), args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const quiet = 'SET client_min_messages = warning'
  child.stdin.end([quiet, ...statements].map((statement) => `${statement};\n`).join(''))
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const [answer, code] = await Promise.all([text(child.stdout), ended])
  if (code !== 0) throw new Error(`psql ended with ${String(code)}`)
  return answer.split('\n').filter((line) => line !== '')
}
