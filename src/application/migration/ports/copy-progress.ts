export type CopyStep = 'looking' | 'copying'

/** Shows how far a copy is. */
export interface CopyProgress {
  /** A step begins that goes through so many facts. */
  begin(step: CopyStep, facts: number): void
  /** So many more facts are done. */
  done(facts: number): void
  end(): void
}
