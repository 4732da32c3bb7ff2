import { readFact } from '../../../../application/facts/fact-format.js'
import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import { numberIn } from '../../file/row.js'
import { missing, type FactsByPosition } from '../facts-by-position.js'
import { changeOf, type PublishedChange } from './published-change.js'

/** What the log holds of who entered and left a segment at one instant. */
export class PublishedAt {
  private readonly positions: Statement

  constructor(
    db: Database,
    private readonly facts: FactsByPosition,
  ) {
    this.positions = prepareRows(
      db,
      'SELECT position FROM changes WHERE segment = ? AND at = ? ORDER BY position',
    )
  }

  of(segment: string, at: number): readonly PublishedChange[] {
    const positions = this.positions.all(segment, at).map((row) => numberIn(row) ?? 0)
    const stored = this.facts.stored(positions)
    return positions.flatMap((position) => {
      const fact = readFact(stored.get(position) ?? missing(position))
      const isChange = fact?.type === 'EntityEnteredSegment' || fact?.type === 'EntityLeftSegment'
      return isChange ? [changeOf(fact)] : []
    })
  }
}
