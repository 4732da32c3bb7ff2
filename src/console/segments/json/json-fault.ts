type Kind = '{' | '}' | '[' | ']' | ',' | ':' | 'text' | 'other'
type State = 'value' | 'item' | 'member' | 'name' | 'colon' | 'inObject' | 'inArray' | 'end'
type Step = State | 'open' | 'close' | 'done'

const aValue = { '{': 'open', '[': 'open', text: 'done', other: 'done' } as const

/** The effect of each kind of token in each state. Other tokens are faults. */
const steps: Readonly<Record<State, Readonly<Partial<Record<Kind, Step>>>>> = {
  value: aValue,
  item: { ...aValue, ']': 'close' },
  member: { text: 'colon', '}': 'close' },
  name: { text: 'colon' },
  colon: { ':': 'value' },
  inObject: { ',': 'name', '}': 'close' },
  inArray: { ',': 'value', ']': 'close' },
  end: {},
}

const token =
  /\s*(?:(?<sign>[{}[\],:])|(?<text>"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-f]{4}))*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null)(?![\w.]))/iuy

/**
 * Returns the offset of the first character that is invalid JSON. Returns the length of the text if the text is
 * incomplete.
 */
export function jsonFaultOffset(text: string): number {
  const open: Kind[] = []
  let state: State = 'value'
  token.lastIndex = 0
  for (;;) {
    const at = text.slice(token.lastIndex).search(/\S/) + token.lastIndex
    if (at < token.lastIndex) return text.length
    const { sign, text: string } = token.exec(text)?.groups ?? {}
    if (token.lastIndex === 0) return at
    const kind = (sign ?? (string === undefined ? 'other' : 'text')) as Kind
    const step: Step | undefined = steps[state][kind]
    if (step === undefined) return at
    state = entered(step, kind, open)
  }
}

function entered(step: Step, kind: Kind, open: Kind[]): State {
  if (step === 'open') {
    open.push(kind)
    return kind === '{' ? 'member' : 'item'
  }
  if (step === 'close') open.pop()
  if (step !== 'close' && step !== 'done') return step
  const around = open.at(-1)
  if (around === undefined) return 'end'
  return around === '{' ? 'inObject' : 'inArray'
}
