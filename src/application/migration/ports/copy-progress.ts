export type CopyStep = 'looking' | 'copying' | 'comparing'

/** Shows how far a copy is. */
export interface CopyProgress {
  begin(step: CopyStep): void
  /** `facts` more are done, and `share` of the step, from 0 to 1. */
  done(facts: number, share: number): void
  end(): void
}
