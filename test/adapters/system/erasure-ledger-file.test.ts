import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { ErasureLedgerFile } from '../../../src/adapters/system/erasure-ledger-file.js'
import { commandUnderFault, detachTracer } from '../../support/disk-faults.js'
import { canLimit, limitFileSize } from '../../support/limit-file-size.js'
import { itWithStrace } from '../../support/strace.js'
import { temporaryFolders } from '../../support/temporary-folder.js'

const program = fileURLToPath(new URL('../../support/processes/ledger-program.js', import.meta.url))
const [ada, bob, eve] = ['a', 'b', 'e'].map(
  (digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`,
)

const folder = temporaryFolders()
let path: string
let trace: string
let child: ChildProcess | undefined

beforeEach(() => {
  path = join(realpathSync(folder()), 'erasure-ledger')
  trace = join(dirname(path), 'trace')
})

afterEach(() => {
  child?.kill('SIGKILL')
})

const idsOf = () => readFileSync(path, 'utf8').split('\n')

/** Starts a process with the ledger under a command that injects faults. Returns its answer to each line. */
class LedgerProcess {
  private readonly answers: AsyncIterator<string>
  private readonly pid: number

  constructor(faults: readonly string[], timeoutMs = 60_000) {
    const [file, ...args] = [...faults, process.execPath]
    child = spawn(file, [...args, program, path, String(timeoutMs)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    if (child.stdout === null) throw new TypeError('a child without an output')
    this.answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    this.pid = child.pid ?? 0
  }

  send(line = ''): void {
    child?.stdin?.write(`${line}\n`)
  }

  async answer(line?: string): Promise<string> {
    if (line !== undefined) this.send(line)
    return String((await this.answers.next()).value)
  }

  /** Adds an id until the ledger accepts it, because strace counts the calls of each pool thread separately. */
  async taken(id: string | undefined): Promise<string> {
    for (;;) {
      const answer = await this.answer(id)
      if (!answer.startsWith('missing')) return answer
    }
  }

  limitFile(bytes: number | undefined): void {
    limitFileSize(this.pid, bytes)
  }

  withoutFaults(): void {
    detachTracer(this.pid)
  }
}

/** Shows the calls on the ledger, and injects one fault. */
const injecting = (fault: string) => [
  ...['strace', '-D', '-f', '-I', '2', '-o', trace, '-P', path],
  ...['-e', 'trace=write,fsync', '-e', `inject=${fault}`],
]

describe('an id that the ledger took', () => {
  itWithStrace(
    'is on the disk, with the directory entries of the file and of its new folders',
    async () => {
      path = join(dirname(path), 'some', 'keys', 'erasure-ledger')
      const command = [
        'strace',
        '-D',
        '-f',
        '-I',
        '2',
        '-y',
        '-o',
        trace,
        '-e',
        'trace=fsync,write',
      ]
      const ledger = new LedgerProcess(command)
      expect(await ledger.answer(ada)).toBe(`added ${ada ?? ''}`)
      const calls = readFileSync(trace, 'utf8').split('"added')[0] ?? ''
      const keys = dirname(path)
      const flushed = [path, keys, dirname(keys), dirname(dirname(keys))]
      for (const name of flushed) expect(calls).toMatch(new RegExp(`fsync\\(\\d+<${name}>\\)`))
    },
  )

  it('keeps ids for the next process, also after a line that was cut off', async () => {
    mkdirSync(dirname(path), { recursive: true })
    const first = new ErasureLedgerFile(path, 60_000)
    await Promise.all([first.add([ada ?? '']), first.add([bob ?? '', ada ?? ''])])
    expect(new Set(new ErasureLedgerFile(path, 60_000).entityIds)).toEqual(new Set([ada, bob]))
  })
})

describe('a ledger', () => {
  it('is created at the start, and keeps its ids', async () => {
    const ledger = new ErasureLedgerFile(join(dirname(path), 'some', 'keys', 'ledger'), 60_000)
    ledger.create()
    await ledger.add([ada ?? ''])
    ledger.create()
    await ledger.check()
    expect([...ledger.entityIds]).toEqual([ada])
    path = join(dirname(path), 'some', 'keys', 'ledger')
    expect(idsOf()).toEqual(['', ada, ''])
  })

  it('that cannot be written is reported at the start, and at each check', async () => {
    writeFileSync(path, '')
    const ledger = new ErasureLedgerFile(join(path, 'ledger'), 60_000)
    expect(() => {
      ledger.create()
    }).toThrow(/^ERASE_LEDGER .*ledger cannot be written: Error: EEXIST.*set ERASE=off\.$/)
    await expect(ledger.check()).rejects.toThrow('ENOTDIR')
  })
})

describe('an id that the ledger could not take', () => {
  const itWithLimit = canLimit() ? it : it.skip
  itWithLimit(
    'rejects an id when the file takes a part of its line, and accepts it later',
    async () => {
      const ledger = new LedgerProcess([])
      expect(await ledger.answer('ping')).toBe('pong')
      ledger.limitFile(20)
      expect(await ledger.answer(ada)).toMatch(new RegExp(`^missing ${ada ?? ''}: EFBIG`))
      ledger.limitFile(undefined)
      expect(await ledger.taken(ada)).toBe(`added ${ada ?? ''}`)
      expect(idsOf()).toContain(ada)
    },
  )

  for (const [call, error] of [
    ['write', 'ENOSPC'],
    ['fsync', 'EIO'],
    ['fsync', 'ENOSPC'],
  ] as const) {
    itWithStrace(`is refused, and taken later: ${error} of ${call}`, async () => {
      const fault = { paths: [path], failing: [{ calls: [call], error, when: '1' }] }
      const ledger = new LedgerProcess(commandUnderFault(fault, trace))
      expect(await ledger.answer(ada)).toMatch(new RegExp(`^missing ${ada ?? ''}: ${error}`))
      expect(await ledger.taken(bob)).toBe(`added ${bob ?? ''}`)
      expect(await ledger.taken(ada)).toBe(`added ${ada ?? ''}`)
      expect(new Set(idsOf())).toEqual(new Set(['', ada, bob]))
    })
  }

  itWithStrace(
    'rejects at a deadline while the file system hangs, without delaying other work',
    async () => {
      const before = new ErasureLedgerFile(path, 60_000)
      await before.add([bob ?? ''])
      const ledger = new LedgerProcess(injecting('fsync:delay_enter=60s:when=1'), 200)
      ledger.send(ada)
      expect(await ledger.answer('ping')).toBe('pong')
      const hangs = 'the file system does not respond in time'
      expect(await ledger.answer()).toBe(`missing ${ada ?? ''}: ${hangs}`)
      expect(await ledger.answer(eve)).toBe(`missing ${eve ?? ''}: ${hangs}`)
      expect(await ledger.answer(bob)).toBe(`added ${bob ?? ''}`)
      ledger.withoutFaults()
      let answer: string
      do answer = await ledger.answer(eve)
      while (answer.startsWith('missing'))
      expect(new Set(idsOf())).toEqual(new Set(['', ada, bob, eve]))
    },
  )
})
