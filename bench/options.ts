import { parseArgs } from 'node:util'
import { z } from 'zod'

/** The sizes of a run. */
export interface Sizes {
  /** The number of pairs of slices per row. */
  readonly slices: number
  /** The length of a slice. */
  readonly seconds: number
  readonly warmUpSeconds: number
  /** The number of facts from which the row `rebuild` rebuilds a read model. A tenth of them create entities. */
  readonly rebuild: number
  /** The number of entities in the row `segments-fact`. */
  readonly customers: number
  /** The number of different entities that the requests are about. */
  readonly named: number
}

/** The options of a run. */
export interface Options extends Sizes {
  readonly smoke: boolean
  readonly long: boolean
  /** The named rows. Undefined means the default rows of the run. */
  readonly rows: readonly string[] | undefined
  readonly out: string | undefined
  /** The folder of another built checkout of Dossier, for the rows whose id begins with `self`. */
  readonly against: string | undefined
  /** The path of the Node executable that runs everything. Undefined: the one that runs the bench. */
  readonly node: string | undefined
}

/** Thrown for invalid options. The message is one line for the user. */
export class OptionsWrong extends Error {
  override readonly name = 'OptionsWrong'
}

export const usage = `Usage: npm run bench -- [options]
  --rows a,b      these rows only
  --slices N      pairs of slices of each row (8)
  --seconds S     length of a slice (2)
  --long          the rows that take long as well
  --smoke         all rows with tiny slices: does everything run and answer rightly?
  --rebuild N     facts of the row rebuild (1000000), a tenth of them entities
  --customers N   entities of the row segments-fact (100000)
  --against DIR   another built checkout, for the rows self, self-…
  --node PATH     the Node executable that runs all servers and the load
  --out FILE      where the figures go (bench/results/DATE.json)`

const wholeNumber = z
  .string()
  .regex(/^[0-9]{1,9}$/)
  .transform(Number)
  .refine((value) => value > 0)
const duration = z
  .string()
  .regex(/^[0-9]{1,4}([.][0-9]{1,3})?$/)
  .transform(Number)
  .refine((value) => value > 0)

const form = z.object({
  smoke: z.boolean().default(false),
  long: z.boolean().default(false),
  rows: z
    .string()
    .min(1)
    .transform((text) => text.split(','))
    .optional(),
  slices: wholeNumber.optional(),
  seconds: duration.optional(),
  out: z.string().min(1).optional(),
  rebuild: wholeNumber.optional(),
  customers: wholeNumber.optional(),
  against: z.string().min(1).optional(),
  node: z.string().min(1).optional(),
})

const names = Object.keys(form.shape)

const usual: Sizes = {
  slices: 8,
  seconds: 2,
  warmUpSeconds: 2,
  rebuild: 1_000_000,
  customers: 100_000,
  named: 1_000,
}

const tiny: Sizes = {
  slices: 1,
  seconds: 0.3,
  warmUpSeconds: 0.2,
  rebuild: 5_000,
  customers: 500,
  named: 200,
}

/** Parses the options. `rows` are the ids of all rows. Throws `OptionsWrong`. */
export function readOptions(args: readonly string[], rows: readonly string[]): Options {
  const { smoke, long, rows: named, out, against, node, ...given } = parsed(args)
  const unknown = named?.filter((id) => !rows.includes(id)) ?? []
  if (unknown.length > 0) {
    throw new OptionsWrong(`no such row: ${unknown.join(', ')}\nRows: ${rows.join(', ')}`)
  }
  const known = Object.entries(given).filter(([, value]) => value !== undefined)
  const sizes: Sizes = { ...(smoke ? tiny : usual), ...Object.fromEntries(known) }
  return { ...sizes, smoke, long, rows: named, out, against, node }
}

function parsed(args: readonly string[]): z.infer<typeof form> {
  const result = form.safeParse(valuesIn(args))
  if (result.success) return result.data
  const faults = result.error.issues.map(({ path }) => `--${path.join('.')} has no such value`)
  throw new OptionsWrong([...new Set(faults)].join('\n'))
}

function valuesIn(args: readonly string[]): object {
  const flag = { type: 'boolean' } as const
  const text = { type: 'string' } as const
  const options = Object.fromEntries(
    names.map((name) => [name, name === 'smoke' || name === 'long' ? flag : text]),
  )
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new OptionsWrong(error instanceof Error ? error.message : String(error))
  }
}
