import { parseArgs } from 'node:util'
import type { Form, Scenario } from './scenario.js'

export interface Options {
  readonly form: Form
  /** The names of the scenarios to run, in this order. */
  readonly only: readonly string[]
  readonly seed: number
}

/** The options are invalid. The message says which one and why. */
export class OptionsWrong extends Error {
  readonly code = 'options_wrong'
  override readonly name = 'OptionsWrong'
}

/** The part of a scenario that the options depend on. */
export type Known = Pick<Scenario, 'name' | 'smoke'>

const forms = {
  thorough: { type: 'boolean', default: false },
  smoke: { type: 'boolean', default: false },
  only: { type: 'string' },
  seed: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Returns the text that `--help` prints. */
export function usageOf(scenarios: readonly Known[]): string {
  return `Usage: npm run fault-injection -- [options]

  --thorough    everything at its full length (about an hour); without it a few minutes
  --smoke       a first look, in less than a minute: ${listed(scenarios.filter(hasSmokeForm))}
  --only A,B    these scenarios: ${listed(scenarios)}
  --seed N      the random moments of an earlier run (0 to 4294967295)

ESDB_TEST_URL=esdb://… takes a real EventStoreDB in place of its double where that can be.
`
}

/** Parses the options. Undefined when help was requested. Throws `OptionsWrong`. */
export function readOptions(
  args: readonly string[],
  scenarios: readonly Known[],
): Options | undefined {
  const values = parse(args)
  if (values.help) return undefined
  if (values.thorough && values.smoke)
    throw new OptionsWrong('--thorough and --smoke exclude each other')
  const form = values.thorough ? 'thorough' : values.smoke ? 'smoke' : 'quick'
  const only = chosen(values.only, scenarios, values.smoke).map(({ name }) => name)
  return { form, only, seed: seedIn(values.seed) }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: forms, allowPositionals: false }).values
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OptionsWrong(`${reason} (see --help)`, { cause: error })
  }
}

function chosen(
  text: string | undefined,
  scenarios: readonly Known[],
  smoke: boolean,
): readonly Known[] {
  const able = smoke ? scenarios.filter(hasSmokeForm) : scenarios
  if (text === undefined) return able
  const asked = text.split(',')
  const unknown = asked.filter((name) => scenarios.every((one) => one.name !== name))
  if (unknown.length > 0) {
    throw new OptionsWrong(
      `--only: no scenario is called ${unknown.map((name) => JSON.stringify(name)).join(', ')}; ` +
        `there are ${listed(scenarios)}`,
    )
  }
  const wanted = scenarios.filter(({ name }) => asked.includes(name))
  const unable = wanted.filter((one) => !able.includes(one))
  if (unable.length === 0) return wanted
  throw new OptionsWrong(
    `--smoke: there is no smoke form of ${listed(unable)}; there is one of ${listed(able)}`,
  )
}

function hasSmokeForm({ smoke }: Known): boolean {
  return smoke === true
}

function listed(scenarios: readonly Known[]): string {
  return scenarios.map(({ name }) => name).join(', ')
}

function seedIn(text: string | undefined): number {
  if (text === undefined) return Math.floor(Math.random() * 4_294_967_296)
  const seed = /^[0-9]{1,10}$/.test(text) ? Number(text) : -1
  if (seed >= 0 && seed < 4_294_967_296) return seed
  throw new OptionsWrong('--seed must be a whole number from 0 to 4294967295')
}
