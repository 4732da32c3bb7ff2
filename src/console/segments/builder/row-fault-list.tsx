import type { JSX } from 'preact'
import { Text } from '../../parts/id.js'
import type { RuleFault } from './row-faults.js'
import { decodedStep } from '../../parts/pointer.js'

/** The list of a row's faults. */
export function RowFaultList({ faults }: { faults: readonly RuleFault[] }): JSX.Element | null {
  if (faults.length === 0) return null
  return (
    <div class="faults bad" role="alert">
      {faults.map(({ path, message }) => (
        <div key={path + message}>
          <Text text={`${placeWords(path)}${message}`} />
        </div>
      ))}
    </div>
  )
}

/** Returns the last name in the path: the field that the message is about. */
function placeWords(path: string): string {
  const words = path.split('/').filter((word) => word !== '' && word !== 'not')
  const step = words.at(-1)
  if (step === undefined) return ''
  const last = decodedStep(step)
  return `${fieldNames.get(last) ?? last}: `
}

const fieldNames = new Map([
  ['gte', 'number'],
  ['lte', 'number'],
  ['eq', 'value'],
  ['within', 'time'],
  ['after', 'first day'],
  ['before', 'day'],
  ['below', 'percent'],
])
