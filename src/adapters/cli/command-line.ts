import { parseArgs } from 'node:util'
import { didYouMean } from '../../domain/near-miss.js'

/**
 * Thrown for a wrong command line. The message names the mistake and never repeats a value, because
 * a value may be a key.
 */
export class CommandLineWrong extends Error {
  readonly code = 'command_line_wrong'
  override readonly name = 'CommandLineWrong'
}

interface OptionForm {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  readonly multiple?: boolean
  readonly default?: string
  /** The placeholder of the value in the help, such as `FILE`. */
  readonly value?: string
  /** The description of the option's value, with its unit. */
  readonly about: string
}

/** The form of a command: its options and arguments, and the text of its help. */
export interface CommandForm {
  readonly name: string
  readonly about: string
  /** The command lines in the help, each without the name of the program. */
  readonly usage: readonly string[]
  readonly options: Readonly<Record<string, OptionForm>>
  /** Whether the command accepts arguments besides its options. */
  readonly takesArguments: boolean
  readonly notes?: readonly string[]
  readonly example: string
  readonly exitCodes: readonly (readonly [code: number, meaning: string])[]
}

interface ParseConfig<Form extends CommandForm> {
  args: string[]
  options: Form['options']
  strict: true
  allowPositionals: true
}

/** A parsed command line: the values of the options by name, and the other arguments. */
export type Given<Form extends CommandForm> = ReturnType<typeof parseArgs<ParseConfig<Form>>>

export interface Command {
  readonly form: CommandForm
  /** Runs the command. Resolves to its exit code. Throws `CommandLineWrong`. */
  run(words: readonly string[]): Promise<number>
}

/**
 * Creates a command from its form and the function that runs it. If `isForPeople` accepts an error, the command prints
 * its own name and the error's message, and its exit code is 1.
 */
export function commandOf<const Form extends CommandForm>(
  form: Form,
  run: (given: Given<Form>) => Promise<number> | number,
  isForPeople: (error: unknown) => error is Error = isForNobody,
): Command {
  return {
    form,
    run: async (words) => {
      const given = parseCommandLine(form, words)
      try {
        return await run(given)
      } catch (error) {
        if (!isForPeople(error)) throw error
        process.stderr.write(`${form.name}: ${error.message}\n`)
        return 1
      }
    },
  }
}

function isForNobody(_error: unknown): _error is Error {
  return false
}

/** Parses the words after the name of the command. Throws `CommandLineWrong`. */
export function parseCommandLine<const Form extends CommandForm>(
  form: Form,
  given: readonly string[],
): Given<Form> {
  const { options } = form
  const words = withNegativeNumbers(form, given)
  refuseRepeated(form, words)
  try {
    const parsed = parseArgs<ParseConfig<Form>>({
      args: words,
      options,
      strict: true,
      allowPositionals: true,
    })
    if (form.takesArguments || parsed.positionals.length === 0) return parsed
  } catch {
    throw new CommandLineWrong(faultIn(form, words))
  }
  throw new CommandLineWrong('it takes options only, and no other argument')
}

/**
 * Joins an option and its value when the value is a negative number. Otherwise Node would take the number for an
 * option, and the command could not say what is wrong with the number.
 */
function withNegativeNumbers({ options }: CommandForm, words: readonly string[]): string[] {
  const isValue = (word: string, before: string | undefined) =>
    /^-[0-9]/.test(word) && before?.startsWith('--') === true && takesValue(options, before)
  return words.flatMap((word, at) => {
    const next = words[at + 1]
    if (isValue(word, words[at - 1])) return []
    return next !== undefined && isValue(next, word) ? [`${word}=${next}`] : [word]
  })
}

function takesValue(options: CommandForm['options'], word: string): boolean {
  const name = word.slice(2)
  return Object.hasOwn(options, name) && options[name]?.type === 'string'
}

/** Refuses an option that may be given once and is given twice, because Node would take the last value. */
function refuseRepeated({ options }: CommandForm, words: readonly string[]): void {
  const seen = new Set<string>()
  for (const token of tokensOf(options, words)) {
    if (token.kind !== 'option') continue
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined
    if (option === undefined || option.multiple === true) continue
    if (seen.has(token.name)) throw new CommandLineWrong(`--${token.name} is given twice`)
    seen.add(token.name)
  }
}

function tokensOf(options: CommandForm['options'], words: readonly string[]) {
  return parseArgs({ args: [...words], options, strict: false, tokens: true }).tokens
}

/** Returns the message for a wrong command line. Node's own message would repeat the whole argument. */
function faultIn({ options }: CommandForm, words: readonly string[]): string {
  for (const token of tokensOf(options, words)) {
    if (token.kind !== 'option') continue
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined
    if (option === undefined) return unknownOption(token.name, token.rawName, options)
    if (option.type === 'boolean' && token.value !== undefined) {
      return `${token.rawName} takes no value`
    }
    const isMissing = token.value === undefined || isOption(token.value, token.inlineValue)
    if (option.type === 'string' && isMissing) return `${token.rawName} needs a value`
  }
  return 'its arguments are not understood'
}

function unknownOption(name: string, shown: string, options: CommandForm['options']): string {
  return `there is no option ${shown}.${didYouMean(`--${name}`, namesOf(options))}`
}

const namesOf = (options: CommandForm['options']) =>
  ['help', ...Object.keys(options)].map((option) => `--${option}`)

function isOption(value: string, isInline: boolean): boolean {
  return !isInline && value.startsWith('-') && value.length > 1
}

/** Returns whether the words ask for help. */
export function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  const options = end === -1 ? words : words.slice(0, end)
  return options.includes('--help') || options.includes('-h')
}

/** Formats the help of a command. */
export function helpOf(form: CommandForm): string {
  const options = Object.entries(form.options).map(rowOf)
  const rows = [...options, ['--help, -h', 'shows this help'] as const]
  const sections = [
    form.about,
    section(
      'Usage',
      form.usage.map((line) => `dossier ${form.name} ${line}`.trimEnd()),
    ),
    section('Options', columns(rows)),
    ...(form.notes === undefined ? [] : [form.notes.join('\n')]),
    section('Example', [form.example]),
    section('Exit codes', columns(form.exitCodes.map(([code, text]) => [String(code), text]))),
  ]
  return `${sections.join('\n\n')}\n`
}

function rowOf([name, option]: [string, OptionForm]): readonly [string, string] {
  const short = option.short === undefined ? '' : `, -${option.short}`
  const value = option.value === undefined ? '' : ` ${option.value}`
  const standard = option.default === undefined ? '' : ` (default: ${option.default})`
  return [`--${name}${short}${value}`, `${option.about}${standard}`]
}

function section(title: string, lines: readonly string[]): string {
  return [`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n')
}

/** Pads the first column, so that the second column begins at the same offset in each line. */
export function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([first]) => first.length))
  return rows.map(([first, second]) => `${first.padEnd(width)}  ${second}`)
}
