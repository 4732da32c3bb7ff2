import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commandOf } from '../adapters/cli/command-line.js'

const form = {
  name: 'demo',
  about: `Starts a separate service and loads the orders of a real shop, with dates shifted to end yesterday.
The service runs until Ctrl-C stops it.`,
  usage: ['[options]'],
  options: {
    file: {
      type: 'string',
      value: 'FILE',
      about: 'the orders, CSV, plain or .gz (default: those of the package)',
    },
    data: {
      type: 'string',
      value: 'FOLDER',
      about: 'the data folder of the service (default: data/demo)',
    },
  },
  takesArguments: false,
  notes: ['PORT sets the port of the service (default: any free port).'],
  example: 'PORT=3001 dossier demo',
  exitCodes: [
    [0, 'the orders are stored, and a signal stopped the demo'],
    [1, 'the demo stopped early: the message says why'],
    [2, 'some orders were refused, or the command line is wrong'],
    [130, 'a signal stopped the demo before the orders were stored'],
  ],
} as const

/**
 * The demo, built from `examples/online-retail` into one file. The container image contains no
 * demo.
 */
const program = new URL('../demo/demo.js', import.meta.url)
const orders = new URL('../../examples/online-retail/orders.csv.gz', import.meta.url)

interface Demo {
  readonly runDemo: (options: {
    readonly file: string
    readonly folder: string | undefined
    /** The folder of the programs `main.js` and `dossier.js`. */
    readonly programs: string
  }) => Promise<number>
}

export const command = commandOf(form, async ({ values: { file, data } }) => {
  if (!existsSync(program)) {
    process.stderr.write('demo: this installation has no demo; the npm package has one\n')
    return 1
  }
  const { runDemo } = (await import(program.href)) as Demo
  return runDemo({
    file: file ?? fileURLToPath(orders),
    folder: data,
    programs: dirname(fileURLToPath(new URL('../main.js', import.meta.url))),
  })
})
